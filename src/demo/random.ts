/** Seeded pseudo-random numbers: the same name always gives the same sequence. */
import { createHash } from "node:crypto";

/**
 * A sequence of numbers that depends only on its name, so that adding one does not change the others.
 *
 * The generator is sfc32 of Chris Doty-Humphrey's PractRand, in the version of
 * https://github.com/bryc/code/blob/master/jshash/PRNGs.md; the four words of its state come from SHA-256.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  constructor(name: string) {
    const seed = createHash("sha256").update(name).digest();
    this.#a = seed.readInt32LE(0);
    this.#b = seed.readInt32LE(4);
    this.#c = seed.readInt32LE(8);
    this.#counter = seed.readInt32LE(12);
  }

  /** A number from 0 up to, but not including, 1, in steps of 2^-32. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A number of at least `low` and less than `high`. */
  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** An integer from `low` to `high`, both inclusive. */
  int(low: number, high: number): number {
    return low + Math.floor((high - low + 1) * this.next());
  }

  /** True with the given probability, 0 to 1. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A number from -1 to 1 with an approximate bell curve: the mean of three uniform numbers. */
  bell(): number {
    return ((this.next() + this.next() + this.next()) * 2) / 3 - 1;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.int(0, items.length - 1)] ?? items[0];
  }

  /** A string of `length` lower-case hex digits. */
  hex(length: number): string {
    return Array.from({ length }, () => this.int(0, 15).toString(16)).join("");
  }
}
