/** A compact hash table from event ids to their batches: 12 bytes per slot, where a set of strings takes 70 bytes per id. */
import { randomInt } from "node:crypto";

/** A deterministic hash: an integer from 0 to 2^53 - 1. */
export type HashFunction = (text: string) => number;

/** Random for each process, so that clients cannot construct collisions. */
const SEED = randomInt(2 ** 32);

/** The hash function cyrb53 by bryc (public domain): two multiplicative hashes, mixed like MurmurHash3. */
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

/** A hash table with open addressing, from hashes to batches. A hash may occur more than once. */
export class IdTable {
  readonly #hash: HashFunction;
  #hashes = new Float64Array(INITIAL_SLOTS);
  /** The batch number of each slot plus one; 0 if the slot is free. */
  #batches = new Uint32Array(INITIAL_SLOTS);
  #usedSlots = 0;

  constructor(hash: HashFunction) {
    this.#hash = hash;
  }

  /** Memory use in bytes. */
  get bytes(): number {
    return this.#batches.length * BYTES_PER_SLOT;
  }

  /**
   * Adds an id of a batch if its hash is new, and returns an empty list. Otherwise adds nothing, and returns the batches
   * with that hash.
   */
  addNew(id: string, batch: number): readonly number[] {
    const hash = this.#hash(id);
    let slot = this.#firstSlot(hash);
    let matches = NONE;
    for (let stored = this.#batches[slot] ?? 0; stored > 0; stored = this.#batches[slot] ?? 0) {
      if (this.#hashes[slot] === hash) matches = [...matches, stored - 1];
      slot = (slot + 1) & (this.#batches.length - 1);
    }
    if (matches.length === 0) this.#fill(slot, hash, batch);
    return matches;
  }

  /** Adds an id of a batch, even if its hash is already in the table. */
  add(id: string, batch: number): void {
    const hash = this.#hash(id);
    this.#fill(this.#findFreeSlot(hash), hash, batch);
  }

  #firstSlot(hash: number): number {
    return (hash >>> 0) & (this.#batches.length - 1);
  }

  #findFreeSlot(hash: number): number {
    let slot = this.#firstSlot(hash);
    while ((this.#batches[slot] ?? 0) > 0) slot = (slot + 1) & (this.#batches.length - 1);
    return slot;
  }

  #fill(slot: number, hash: number, batch: number): void {
    this.#hashes[slot] = hash;
    this.#batches[slot] = batch + 1;
    this.#usedSlots += 1;
    if (this.#usedSlots * 4 > this.#batches.length * 3) this.#grow();
  }

  #grow(): void {
    const [hashes, batches] = [this.#hashes, this.#batches];
    this.#hashes = new Float64Array(hashes.length * 2);
    this.#batches = new Uint32Array(batches.length * 2);
    for (const [oldSlot, batch] of batches.entries()) {
      if (batch === 0) continue;
      const hash = hashes[oldSlot] ?? 0;
      const slot = this.#findFreeSlot(hash);
      this.#hashes[slot] = hash;
      this.#batches[slot] = batch;
    }
  }
}
