/** Reads and changes sessions and their events in a database that was saved from a damaged file. */
import { updateRows } from "../db/rows.ts";
import type { Db, EventBatchRow, SessionRow } from "../db/schema.ts";

type SessionRef = Pick<SessionRow, "game_id" | "id" | "next_batch">;
type Batch = Pick<EventBatchRow, "seq" | "event_count" | "payload">;

export async function findUnprunedSessions(db: Db): Promise<SessionRef[]> {
  return await db
    .selectFrom("sessions")
    .select(["game_id", "id", "next_batch"])
    .where("events_pruned_at", "is", null)
    .execute();
}

export async function findBatches(db: Db, { game_id, id }: SessionRef): Promise<Batch[]> {
  return await db
    .selectFrom("event_batches")
    .select(["seq", "event_count", "payload"])
    .where((eb) => eb.and({ game_id, session_id: id }))
    .orderBy("seq")
    .execute();
}

/** Marks the events of a session as removed, and the session as final: without its events, it cannot be analyzed again. */
export async function markWithoutEvents(db: Db, { game_id, id }: SessionRef, now: number): Promise<void> {
  const final = { events_pruned_at: now, analysis_due: null, reanalysis_due: null, analysis_lease: null };
  await updateRows(db, "sessions", { game_id, id }, final);
}

/** Deletes events whose session is not there. */
export async function deleteOrphanBatches(db: Db): Promise<void> {
  await db
    .deleteFrom("event_batches")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("sessions")
            .select("sessions.id")
            .whereRef("sessions.game_id", "=", "event_batches.game_id")
            .whereRef("sessions.id", "=", "event_batches.session_id"),
        ),
      ),
    )
    .execute();
}
