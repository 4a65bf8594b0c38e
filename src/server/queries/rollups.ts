/** Sums kept beside the sessions, by build, environment and day: what whole days of event counts are read from. */
import type { Db, SessionRow } from "../db/schema.ts";
import { dayOf } from "./days.ts";

type Place = Pick<SessionRow, "game_id" | "build" | "environment" | "recorded_at">;

function keyOf(session: Place) {
  const { game_id, build, environment } = session;
  return { game_id, build, environment, day: dayOf(session.recorded_at) };
}

/** Adds sessions to the day's count. */
export async function addSessions(db: Db, session: Place, sessions: number): Promise<void> {
  await db
    .insertInto("session_rollups")
    .values({ ...keyOf(session), sessions })
    .onConflict((conflict) =>
      conflict.columns(["game_id", "build", "environment", "day"]).doUpdateSet((eb) => ({
        sessions: eb("session_rollups.sessions", "+", eb.ref("excluded.sessions")),
      })),
    )
    .execute();
}

/** How many rows one statement inserts: every number of rows is a statement that the connection keeps, prepared. */
const ROWS_A_STATEMENT = 100;

/** Adds events by name to the day's counts. */
export async function addEvents(db: Db, session: Place, counts: ReadonlyMap<string, number>): Promise<void> {
  const key = keyOf(session);
  const rows = [...counts].map(([name, count]) => ({ ...key, name, count }));
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT) {
    await db
      .insertInto("event_rollups")
      .values(rows.slice(at, at + ROWS_A_STATEMENT))
      .onConflict((conflict) =>
        conflict
          .columns(["game_id", "build", "environment", "day", "name"])
          .doUpdateSet((eb) => ({ count: eb("event_rollups.count", "+", eb.ref("excluded.count")) })),
      )
      .execute();
  }
}
