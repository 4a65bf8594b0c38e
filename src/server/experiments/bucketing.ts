/** Bucketing: deterministic assignment of devices to variants. */
import { createHash } from "node:crypto";
import type { RemoteConfig, Variant } from "../../contract/experiments.ts";
import type { Db } from "../db/schema.ts";
import { isInAudience, needsSession, parsePredicates } from "./audiences.ts";
import { findRunningExperiments, parseVariants } from "./experiment-queries.ts";
import { findNewestSession } from "./exposure-queries.ts";

/** Version of the hash. A future version can be added without changing existing assignments. */
const HASH_VERSION = "v1";
const HASH_BITS = 48;

/**
 * The bucket of a device in an experiment, at least 0 and below 1: the first 48 bits (big-endian) of the SHA-256 hash
 * of the JSON text `["v1", experimentId, gameId, deviceId]`, divided by 2^48. `gameId` is the id of the game, not its
 * slug.
 */
export function computeBucket(experimentId: string, gameId: string, deviceId: string): number {
  const text = JSON.stringify([HASH_VERSION, experimentId, gameId, deviceId]);
  const digest = createHash("sha256").update(text).digest();
  return digest.readUIntBE(0, HASH_BITS / 8) / 2 ** HASH_BITS;
}

/** The share of players of each variant, 0 to 1, in declared order. The allocations need not add up to 100. */
export function computeAllocationShares(variants: readonly Pick<Variant, "allocation">[]): number[] {
  const total = variants.reduce((sum, { allocation }) => sum + allocation, 0);
  return variants.map(({ allocation }) => (total > 0 ? allocation / total : 0));
}

/**
 * The key of the variant whose interval contains the bucket. The intervals follow the declared order of the variants.
 */
export function findVariantKey(variants: readonly Variant[], bucket: number): string | null {
  const total = variants.reduce((sum, { allocation }) => sum + allocation, 0);
  let end = 0;
  for (const { key, allocation } of variants) {
    end += allocation;
    if (bucket < end / total) return key;
  }
  // Rounding errors can leave the last interval slightly below 1.
  return variants.at(-1)?.key ?? null;
}

/** The device that requests its variants. */
interface AssignmentRequest {
  readonly gameId: string;
  readonly deviceId: string;
  /** The build it runs; null if unknown. Without a build, no audience with a build condition matches. */
  readonly build: string | null;
}

/** The variants of a device, by experiment id, oldest experiment first. */
interface Assignment {
  /** Variant keys. */
  readonly experiments: Record<string, string>;
  /** Remote config values; absent if no variant has any. */
  readonly config?: Record<string, RemoteConfig>;
}

export async function assignVariants(
  db: Db,
  { gameId, deviceId, build }: AssignmentRequest,
): Promise<Assignment> {
  const candidates = (await findRunningExperiments(db, gameId)).map((row) => ({
    row,
    predicates: row.predicates === null ? [] : parsePredicates(row.predicates),
  }));
  const needsNewestSession = candidates.some(({ predicates }) => needsSession(predicates));
  const newest = needsNewestSession ? await findNewestSession(db, gameId, deviceId) : null;
  const unknown = { platform: null, environment: null, country: null };
  const player = { ...(newest ?? unknown), build };
  const assigned = candidates.flatMap(({ row, predicates }) => {
    if (!isInAudience(predicates, player)) return [];
    const variants = parseVariants(row);
    const key = findVariantKey(variants, computeBucket(row.id, gameId, deviceId));
    const variant = variants.find((candidate) => candidate.key === key);
    return variant ? [{ id: row.id, variant }] : [];
  });
  const config = assigned.flatMap(({ id, variant }) =>
    variant.config ? [[id, variant.config] as const] : [],
  );
  return {
    experiments: Object.fromEntries(assigned.map(({ id, variant }) => [id, variant.key])),
    ...(config.length > 0 ? { config: Object.fromEntries(config) } : {}),
  };
}
