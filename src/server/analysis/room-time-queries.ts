/** Reads and keeps how long sessions were in rooms. */
import type { Db } from "../db/schema.ts";
import { median } from "../sessions/play-time.ts";

/** The newest sessions of a room that its median is of: a game changes, and a median needs no more. */
const MAX_MEDIAN_SESSIONS = 200;
/** Fewer other sessions do not tell what is usual. */
export const MIN_MEDIAN_SESSIONS = 5;

/** The median time of other sessions in each of the rooms, ms; a room with too few of them is left out. */
export async function readMedianRoomTimes(
  db: Db,
  gameId: string,
  sessionId: string,
  rooms: readonly string[],
): Promise<Map<string, number>> {
  const usual = new Map<string, number>();
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
    if (rows.length >= MIN_MEDIAN_SESSIONS) usual.set(room, median(rows.map(({ ms }) => ms)));
  }
  return usual;
}

/** Keeps a session's times in the place of earlier ones. */
export async function replaceRoomTimes(
  db: Db,
  session: { readonly game_id: string; readonly id: string; readonly recorded_at: number },
  times: ReadonlyMap<string, number>,
): Promise<void> {
  const { game_id, id, recorded_at } = session;
  await db.deleteFrom("room_times").where("game_id", "=", game_id).where("session_id", "=", id).execute();
  const rows = [...times].map(([room, ms]) => ({ game_id, session_id: id, room, ms, recorded_at }));
  if (rows.length > 0) await db.insertInto("room_times").values(rows).execute();
}
