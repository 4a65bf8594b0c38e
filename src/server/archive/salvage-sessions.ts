/** Makes a database consistent after some of its rows were lost, so that its archive can be imported. */
import type { Db } from "../db/schema.ts";
import { deleteBatches } from "../pruning/prune-queries.ts";
import { hasAllEvents } from "./check-rows.ts";
import {
  deleteOrphanBatches,
  findBatches,
  findUnprunedSessions,
  markWithoutEvents,
} from "./salvage-queries.ts";

/**
 * Treats sessions as pruned whose events cannot all be decoded, and removes batches of sessions that are lost. Returns the
 * number of such sessions. Sessions may share blocks of events, so removing those of one can affect others.
 */
export async function dropIncompleteSessions(db: Db, now: number): Promise<number> {
  await deleteOrphanBatches(db);
  let dropped = 0;
  for (let isComplete = false; !isComplete; ) {
    isComplete = true;
    for (const session of await findUnprunedSessions(db)) {
      if (await hasAllEvents(db, session, await findBatches(db, session))) continue;
      await markWithoutEvents(db, session, now);
      await deleteBatches(db, session, Number.MAX_SAFE_INTEGER);
      dropped += 1;
      isComplete = false;
    }
  }
  return dropped;
}
