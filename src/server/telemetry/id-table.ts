/** Which batch of a session an id may lie in, by its hash: a table of 12 bytes a place, where a set of texts takes 70 an id. */
import { randomInt } from "node:crypto";

/** A whole number from 0 to 2^53 - 1, the same for the same text. */
export type HashFunction = (text: string) => number;

/** Differs by process, so that nobody can aim at it. */
const SEED = randomInt(2 ** 32);

/** cyrb53 by bryc, in the public domain: two multiplicative hashes, mixed as MurmurHash3 does. */
export const hashId: HashFunction = (text) => {
  let h1 = 0xdeadbeef ^ SEED;
  let h2 = 0x41c6ce57 ^ SEED;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    h1 = Math.imul(h1 ^ code, 0x9e3779b1);
    h2 = Math.imul(h2 ^ code, 0x5f356495);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 0x85ebca6b) ^ Math.imul(h2 ^ (h2 >>> 13), 0xc2b2ae35);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 0x85ebca6b) ^ Math.imul(h1 ^ (h1 >>> 13), 0xc2b2ae35);
  return 2 ** 32 * (h2 & 0x1fffff) + (h1 >>> 0);
};

const NONE: readonly number[] = [];
const INITIAL_SLOTS = 64;
const BYTES_PER_SLOT = 12;

/** An open-addressing table from hashes to batches; one hash may stand in it more than once. */
export class IdTable {
  readonly #hash: HashFunction;
  #hashes = new Float64Array(INITIAL_SLOTS);
  /** The batch of each place, plus one; 0 where the place is free. */
  #batches = new Uint32Array(INITIAL_SLOTS);
  #taken = 0;

  constructor(hash: HashFunction) {
    this.#hash = hash;
  }

  /** What it takes of memory. */
  get bytes(): number {
    return this.#batches.length * BYTES_PER_SLOT;
  }

  /** Adds an id of a batch where none of its hash is there; else answers the batches that those lie in, and adds nothing. */
  addNew(id: string, batch: number): readonly number[] {
    const hash = this.#hash(id);
    let at = this.#placeOf(hash);
    let found = NONE;
    for (let own = this.#batches[at] ?? 0; own > 0; own = this.#batches[at] ?? 0) {
      if (this.#hashes[at] === hash) found = [...found, own - 1];
      at = (at + 1) & (this.#batches.length - 1);
    }
    if (found.length === 0) this.#take(at, hash, batch);
    return found;
  }

  /** Adds an id of a batch, whatever else has its hash. */
  add(id: string, batch: number): void {
    const hash = this.#hash(id);
    this.#take(this.#freePlace(hash), hash, batch);
  }

  #placeOf(hash: number): number {
    return (hash >>> 0) & (this.#batches.length - 1);
  }

  #freePlace(hash: number): number {
    let at = this.#placeOf(hash);
    while ((this.#batches[at] ?? 0) > 0) at = (at + 1) & (this.#batches.length - 1);
    return at;
  }

  #take(at: number, hash: number, batch: number): void {
    this.#hashes[at] = hash;
    this.#batches[at] = batch + 1;
    this.#taken += 1;
    if (this.#taken * 4 > this.#batches.length * 3) this.#grow();
  }

  #grow(): void {
    const [hashes, batches] = [this.#hashes, this.#batches];
    this.#hashes = new Float64Array(hashes.length * 2);
    this.#batches = new Uint32Array(batches.length * 2);
    for (const [from, batch] of batches.entries()) {
      if (batch === 0) continue;
      const hash = hashes[from] ?? 0;
      const at = this.#freePlace(hash);
      this.#hashes[at] = hash;
      this.#batches[at] = batch;
    }
  }
}
