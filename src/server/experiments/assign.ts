/** Assignment: the variant of a device in every running experiment that is for it. */
import type { Db } from "../db/schema.ts";
import { isInAudience, needsSession, parsePredicates } from "./audiences.ts";
import { computeBucket, findVariantKey } from "./bucketing.ts";
import { findNewestSession } from "./exposure-queries.ts";
import { findRunningExperiments, parseVariants } from "./queries.ts";

/** Who asks. */
export interface AssignmentRequest {
  readonly gameId: string;
  readonly deviceId: string;
  /** The build it runs; null where it does not say, and then it is in no audience by build. */
  readonly build: string | null;
}

/** Variant keys by experiment id, experiments in the order they were made in. */
export async function assignVariants(
  db: Db,
  { gameId, deviceId, build }: AssignmentRequest,
): Promise<Record<string, string>> {
  const candidates = (await findRunningExperiments(db, gameId)).map((row) => ({
    row,
    predicates: row.predicates === null ? [] : parsePredicates(row.predicates),
  }));
  const reads = candidates.some(({ predicates }) => needsSession(predicates));
  const newest = reads ? await findNewestSession(db, gameId, deviceId) : null;
  const unknown = { platform: null, environment: null, country: null };
  const player = { ...(newest ?? unknown), build };
  const pairs = candidates.flatMap(({ row, predicates }): [string, string][] => {
    if (!isInAudience(predicates, player)) return [];
    const key = findVariantKey(parseVariants(row), computeBucket(row.id, gameId, deviceId));
    return key === null ? [] : [[row.id, key]];
  });
  return Object.fromEntries(pairs);
}
