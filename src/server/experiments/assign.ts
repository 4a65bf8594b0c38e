/** Assignment: the variant of a device in every running experiment whose audience includes it. */
import type { RemoteConfig } from "../../contract/experiments.ts";
import type { Db } from "../db/schema.ts";
import { isInAudience, needsSession, parsePredicates } from "./audiences.ts";
import { computeBucket, findVariantKey } from "./bucketing.ts";
import { findRunningExperiments, parseVariants } from "./experiment-queries.ts";
import { findNewestSession } from "./exposure-queries.ts";

/** The device that requests its variants. */
export interface AssignmentRequest {
  readonly gameId: string;
  readonly deviceId: string;
  /** The build it runs; null if unknown. Without a build, no audience with a build condition matches. */
  readonly build: string | null;
}

/** The variants of a device, by experiment id, oldest experiment first. */
export interface Assignment {
  /** Variant keys. */
  readonly experiments: Record<string, string>;
  /** Remote config values; absent if no variant has any. */
  readonly config?: Record<string, RemoteConfig>;
}

/** Assigns a device to variants. */
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
