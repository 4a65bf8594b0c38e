/** Assignment: the variant of a device in every running experiment that is for it. */
import type { Db } from "../db/schema.ts";
import { asksForSession, isInAudience, predicatesOf } from "./audiences.ts";
import { placeOf, variantAt } from "./bucketing.ts";
import { newestSession } from "./exposure-queries.ts";
import { runningExperiments, variantsOf } from "./queries.ts";

/** Who asks. */
export interface Asking {
  readonly gameId: string;
  readonly deviceId: string;
  /** The build it runs; null where it does not say, and then it is in no audience by build. */
  readonly build: string | null;
}

/** Variant keys by experiment id, experiments in the order they were made in. */
export async function assign(db: Db, { gameId, deviceId, build }: Asking): Promise<Record<string, string>> {
  const candidates = (await runningExperiments(db, gameId)).map((row) => ({
    row,
    predicates: row.predicates === null ? [] : predicatesOf(row.predicates),
  }));
  const reads = candidates.some(({ predicates }) => asksForSession(predicates));
  const newest = reads ? await newestSession(db, gameId, deviceId) : null;
  const unknown = { platform: null, environment: null, country: null };
  const player = { ...(newest ?? unknown), build };
  const pairs = candidates.flatMap(({ row, predicates }): [string, string][] => {
    if (!isInAudience(predicates, player)) return [];
    const key = variantAt(variantsOf(row), placeOf(row.id, gameId, deviceId));
    return key === null ? [] : [[row.id, key]];
  });
  return Object.fromEntries(pairs);
}
