/** Bucketing: which variant a device belongs to, the same wherever and whenever it is computed. */
import { createHash } from "node:crypto";
import type { Variant } from "../../contract/experiments.ts";

/** Names the rule, so that another one could stand beside it without moving anybody. */
const HASH_VERSION = "v1";
const HASH_BITS = 48;

/**
 * Where a device stands in an experiment, 0 to below 1: the first 48 bits, big-endian, of SHA-256 over the JSON of
 * `["v1", experimentId, gameId, deviceId]`, as a share of 2^48. The game is named by its id, never by its slug.
 */
export function computeBucket(experimentId: string, gameId: string, deviceId: string): number {
  const text = JSON.stringify([HASH_VERSION, experimentId, gameId, deviceId]);
  const digest = createHash("sha256").update(text).digest();
  return digest.readUIntBE(0, HASH_BITS / 8) / 2 ** HASH_BITS;
}

/** Each variant's share of the players, 0 to 1, in declared order: their allocations need not add up to 100. */
export function computeAllocationShares(variants: readonly Pick<Variant, "allocation">[]): number[] {
  const total = variants.reduce((sum, { allocation }) => sum + allocation, 0);
  return variants.map(({ allocation }) => (total > 0 ? allocation / total : 0));
}

/** The key of the variant whose interval holds the place; the intervals follow one another in declared order. */
export function findVariantKey(variants: readonly Variant[], place: number): string | null {
  const total = variants.reduce((sum, { allocation }) => sum + allocation, 0);
  let end = 0;
  for (const { key, allocation } of variants) {
    end += allocation;
    if (place < end / total) return key;
  }
  // Sums of fractions may end a hair below the total.
  return variants.at(-1)?.key ?? null;
}
