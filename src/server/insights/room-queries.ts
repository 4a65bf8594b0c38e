/** Finds the rooms that tags are about. A tag only has a slug of the name of its room. */
import { findTagRoom, toTagRoom } from "../../shared/tag-subjects.ts";
import type { Db, InsightRow } from "../db/schema.ts";

type TaggedRow = Pick<InsightRow, "game_id" | "session_id" | "tag">;

/** The name of the room of each insight, from the rooms that its session entered. Insights about no room are absent. */
export async function findInsightRooms<Row extends TaggedRow>(
  db: Db,
  rows: readonly Row[],
): Promise<ReadonlyMap<Row, string>> {
  if (rows.length === 0) return new Map();
  const entered = await db
    .selectFrom("room_times")
    .select(["game_id", "session_id", "room"])
    .where("game_id", "in", [...new Set(rows.map(({ game_id }) => game_id))])
    .where("session_id", "in", [...new Set(rows.map(({ session_id }) => session_id))])
    .orderBy("room", "desc")
    .execute();
  const bySession = new Map<string, Map<string, string>>();
  for (const { game_id, session_id, room } of entered) {
    const key = `${game_id}/${session_id}`;
    const names = bySession.get(key) ?? new Map<string, string>();
    bySession.set(key, names.set(toTagRoom(room), room));
  }
  const rooms = new Map<Row, string>();
  for (const row of rows) {
    const names = bySession.get(`${row.game_id}/${row.session_id}`) ?? new Map<string, string>();
    const location = findTagRoom(row.tag, new Set(names.keys()));
    const room = location === null ? undefined : names.get(location);
    if (room !== undefined) rooms.set(row, room);
  }
  return rooms;
}
