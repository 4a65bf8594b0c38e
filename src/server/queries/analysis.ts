/** The analysis' queue, kept in the sessions themselves: who is due, who holds it, and what came of it. */
import type { Db, SessionRow } from "../db/schema.ts";
import { decodeBatch } from "../ingest/batch-codec.ts";
import { unpackPoints } from "../ingest/bytes.ts";
import type { TelemetryEvent } from "../ingest/events.ts";
import { sessionItem } from "../ingest/session-item.ts";

/** The session longest due at `now` that nobody holds, or undefined. */
export async function nextDue(db: Db, now: number): Promise<SessionRow | undefined> {
  return await db
    .selectFrom("sessions")
    .selectAll()
    .where("analysis_due", "<=", now)
    .where((eb) => eb.or([eb("analysis_lease", "is", null), eb("analysis_lease", "<=", now)]))
    .orderBy("analysis_due")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

/** When the next session falls due or is let go, unix ms; null when none waits. */
export async function nextDueTime(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom("sessions")
    .select(["analysis_due", "analysis_lease"])
    .where("analysis_due", "is not", null)
    .orderBy("analysis_due")
    .limit(1)
    .executeTakeFirst();
  return row ? Math.max(row.analysis_due ?? 0, row.analysis_lease ?? 0) : null;
}

/** Changes a session's row, and its list item with it. */
export async function updateSession(db: Db, session: SessionRow, changed: Partial<SessionRow>): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ ...changed, item: sessionItem({ ...session, ...changed }) })
    .where("game_id", "=", session.game_id)
    .where("id", "=", session.id)
    .execute();
}

/** Lets go of every session: for the one process that serves a database file, at its start. */
export async function releaseAll(db: Db): Promise<void> {
  await db.updateTable("sessions").set({ analysis_lease: null }).where("analysis_lease", "is not", null).execute();
}

/** A session's stored events, batch by batch in the order they arrived. */
export async function* storedEvents(db: Db, gameId: string, sessionId: string): AsyncGenerator<TelemetryEvent[]> {
  for (let seq = 0; ; seq += 1) {
    const batch = await db
      .selectFrom("event_batches")
      .select("payload")
      .where("game_id", "=", gameId)
      .where("session_id", "=", sessionId)
      .where("seq", "=", seq)
      .executeTakeFirst();
    if (!batch) return;
    const rooms = await db
      .selectFrom("position_chunks")
      .select(["room", "xy"])
      .where("game_id", "=", gameId)
      .where("session_id", "=", sessionId)
      .where("seq", "=", seq)
      .execute();
    const columns = new Map(rooms.map((row) => [row.room, unpackPoints(row.xy)]));
    yield decodeBatch(batch.payload, (room) => columns.get(room) ?? new Float64Array());
  }
}
