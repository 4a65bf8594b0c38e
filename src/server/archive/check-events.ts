/** Checks that every imported event can be decoded, together with its positions. */
import { DamagedData } from "../core/damaged-data.ts";
import { ServiceError } from "../core/errors.ts";
import type { Db } from "../db/schema.ts";
import { countBatches, streamStoredEvents } from "../telemetry/batch-queries.ts";
import { countRows, readRows } from "./queries.ts";

const sessionColumns = ["game_id", "id", "next_batch", "events_pruned_at"] as const;

/** Decodes all events. Throws `unusable` with the table, the session and the batch of the first damaged batch. */
export async function checkEvents(db: Db, source: string, signal: AbortSignal): Promise<void> {
  let total = 0;
  for await (const rows of readRows(db, "sessions", sessionColumns)) {
    signal.throwIfAborted();
    for (const [gameId, id, batches, prunedAt] of rows) {
      const [game, session] = [String(gameId), String(id)];
      total +=
        prunedAt === null
          ? await checkSession(db, source, game, session, Number(batches))
          : await countBatches(db, game, session);
    }
  }
  if ((await countRows(db, "event_batches")) !== total)
    throw undecodable(source, "table event_batches has rows that belong to no session");
}

/** Decodes the events of a session, and returns the number of its batches. */
async function checkSession(
  db: Db,
  source: string,
  gameId: string,
  id: string,
  batches: number,
): Promise<number> {
  let seq = 0;
  const describe = (reason: string) =>
    `table event_batches, session ${JSON.stringify(id)} of game ${JSON.stringify(gameId)}, batch ${seq}: ${reason}`;
  try {
    for await (const _events of streamStoredEvents(db, gameId, id)) seq += 1;
  } catch (cause) {
    if (!(cause instanceof DamagedData)) throw cause;
    throw undecodable(source, describe(cause.message), cause);
  }
  if (seq !== batches) throw undecodable(source, describe(`the session has ${batches} batches`));
  return seq;
}

function undecodable(source: string, details: string, cause?: unknown): ServiceError {
  return new ServiceError("unusable", {
    message: `${source} contains data that cannot be decoded: ${details}`,
    hint: "Nothing was imported. Delete these rows from the original database, and export it again.",
    cause,
  });
}
