/** Reads and stores how long sessions spent in each room. */
import type { Db } from "../db/schema.ts";
import { median } from "../sessions/play-time.ts";

/** Number of recent sessions that a median is computed from. Older ones may predate changes to the game. */
const MAX_MEDIAN_SESSIONS = 200;
/** Minimum number of other sessions for a median. */
export const MIN_MEDIAN_SESSIONS = 5;

/**
 * The median time of other sessions in each room, in ms. Rooms with fewer than MIN_MEDIAN_SESSIONS sessions are
 * omitted.
 */
export async function readMedianRoomTimes(
  db: Db,
  gameId: string,
  sessionId: string,
  rooms: readonly string[],
): Promise<Map<string, number>> {
  const medians = new Map<string, number>();
  for (const room of rooms) {
    const rows = await db
      .selectFrom("room_times")
      .select("ms")
      .where("game_id", "=", gameId)
      .where("room", "=", room)
      .where("session_id", "!=", sessionId)
      .orderBy("recorded_at", "desc")
      .orderBy("session_id")
      .limit(MAX_MEDIAN_SESSIONS)
      .execute();
    if (rows.length >= MIN_MEDIAN_SESSIONS) medians.set(room, median(rows.map(({ ms }) => ms)));
  }
  return medians;
}

/** Replaces the stored room times of a session. */
export async function replaceRoomTimes(
  db: Db,
  session: { readonly game_id: string; readonly id: string; readonly recorded_at: number },
  times: ReadonlyMap<string, { readonly ms: number; readonly completed: boolean }>,
): Promise<void> {
  const { game_id, id, recorded_at } = session;
  await db.deleteFrom("room_times").where("game_id", "=", game_id).where("session_id", "=", id).execute();
  const rows = [...times].map(([room, { ms, completed }]) => ({
    game_id,
    session_id: id,
    room,
    ms,
    completed: completed ? 1 : 0,
    recorded_at,
  }));
  if (rows.length > 0) await db.insertInto("room_times").values(rows).execute();
}
