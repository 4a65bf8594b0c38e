/** Assignment: the variant of a device in every running experiment whose audience includes it. */
import type { Db } from "../db/schema.ts";
import { isInAudience, needsSession, parsePredicates } from "./audiences.ts";
import { computeBucket, findVariantKey } from "./bucketing.ts";
import { findNewestSession } from "./exposure-queries.ts";
import { findRunningExperiments, parseVariants } from "./queries.ts";

/** The device that requests its variants. */
export interface AssignmentRequest {
  readonly gameId: string;
  readonly deviceId: string;
  /** The build it runs; null if unknown. Without a build, no audience with a build condition matches. */
  readonly build: string | null;
}

/** The variant keys of a device by experiment id, oldest experiment first. */
export async function assignVariants(
  db: Db,
  { gameId, deviceId, build }: AssignmentRequest,
): Promise<Record<string, string>> {
  const candidates = (await findRunningExperiments(db, gameId)).map((row) => ({
    row,
    predicates: row.predicates === null ? [] : parsePredicates(row.predicates),
  }));
  const needsNewestSession = candidates.some(({ predicates }) => needsSession(predicates));
  const newest = needsNewestSession ? await findNewestSession(db, gameId, deviceId) : null;
  const unknown = { platform: null, environment: null, country: null };
  const player = { ...(newest ?? unknown), build };
  const pairs = candidates.flatMap(({ row, predicates }): [string, string][] => {
    if (!isInAudience(predicates, player)) return [];
    const key = findVariantKey(parseVariants(row), computeBucket(row.id, gameId, deviceId));
    return key === null ? [] : [[row.id, key]];
  });
  return Object.fromEntries(pairs);
}
