/** Reads and stores how long sessions spent in each room. */
import { type SqlBool, sql } from "kysely";
import { prepareQuery, prepareRowsQuery, runInParts } from "../db/prepared.ts";
import { deleteRows, findChangedRows } from "../db/rows.ts";
import type { Db, RoomTimeRow, SessionRow } from "../db/schema.ts";

/** The columns of a session that its room times repeat. */
export type TimedSession = Pick<SessionRow, "game_id" | "id" | "build" | "environment" | "recorded_at">;

/** What is stored about a session in one room. */
export type RoomPlayColumns = Omit<RoomTimeRow, keyof ReturnType<typeof repeatSession> | "room">;

/** Replaces the stored room times of a session. Returns the rooms where anything was added, changed or removed. */
export async function replaceRoomTimes(
  db: Db,
  session: TimedSession,
  rooms: ReadonlyMap<string, RoomPlayColumns>,
): Promise<string[]> {
  const { game_id, id } = session;
  const { rows: previous } = await sessionTimesQuery(db, { game_id, id });
  const common = repeatSession(session);
  const rows = [...rooms].map(([room, facts]): RoomTimeRow => ({ ...common, room, ...facts }));
  const changed = new Set(findChangedRows(previous, rows).map(({ room }) => room));
  if (changed.size === 0) return [];
  if (previous.length > 0) await deleteRows(db, "room_times", { game_id, session_id: id });
  await runInParts(db, insertTimesQuery, rows);
  return [...changed];
}

const sessionTimesQuery = prepareQuery((db, { game_id, id }: Pick<SessionRow, "game_id" | "id">) =>
  db.selectFrom("room_times").selectAll().where("game_id", "=", game_id).where("session_id", "=", id),
);

const insertTimesQuery = prepareRowsQuery((db, rows: readonly RoomTimeRow[]) =>
  db.insertInto("room_times").values(rows),
);

/** The rooms in which a session has stored times. */
export async function findSessionRooms(
  db: Db,
  { game_id, id }: Pick<SessionRow, "game_id" | "id">,
): Promise<string[]> {
  const rows = await db
    .selectFrom("room_times")
    .select("room")
    .where((eb) => eb.and({ game_id, session_id: id }))
    .execute();
  return rows.map(({ room }) => room);
}

/** What sessions did in their rooms. */
export async function findRoomsOfSessions(db: Db, gameId: string, sessionIds: readonly string[]) {
  return await db
    .selectFrom("room_times")
    .select(["session_id", "room", "completed", "failed", "quit"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .execute();
}

/** The columns that every room time of a session has in common. */
function repeatSession({ game_id, id: session_id, build, environment, recorded_at }: TimedSession) {
  return { game_id, session_id, build, environment, recorded_at };
}

/** A room of a game in one environment. */
export type RoomKey = Pick<RoomTimeRow, "game_id" | "environment" | "room">;
export type SessionRoomTime = Pick<RoomTimeRow, "session_id" | "ms" | "recorded_at">;

const selectRoomTimes = (db: Db, { game_id, environment, room }: RoomKey) =>
  db.selectFrom("room_times").where((eb) => eb.and({ game_id, environment, room }));

/** The times of a build's sessions in a room, in the order of their recording, at most `limit`. */
export async function findRoomTimes(db: Db, key: RoomKey, build: string, limit: number) {
  const { game_id, environment, room } = key;
  return (await roomTimesQuery(db, { game_id, environment, room, build, limit })).rows;
}

const roomTimesQuery = prepareQuery(
  (db, { build, limit, ...key }: RoomKey & { build: string; limit: number }) =>
    selectRoomTimes(db, key)
      .select(["session_id", "ms", "recorded_at"])
      .where("build", "=", build)
      .orderBy("recorded_at")
      .orderBy("session_id")
      .limit(limit),
);

/** The build that was the first to have `minSessions` sessions in a room, by the times of their recording, or null. */
export async function findEarliestBuild(db: Db, key: RoomKey, minSessions: number): Promise<string | null> {
  const numbered = selectRoomTimes(db, key).select((eb) => [
    "build",
    "recorded_at",
    eb.fn
      .agg<number>("row_number")
      .over((over) => over.partitionBy("build").orderBy("recorded_at").orderBy("session_id"))
      .as("position"),
  ]);
  const row = await db
    .selectFrom(numbered.as("numbered"))
    .select("build")
    .where("position", "=", minSessions)
    .orderBy("recorded_at")
    .orderBy("build")
    .limit(1)
    .executeTakeFirst();
  return row?.build ?? null;
}

/** The sessions that spent at least `minMs` in a room without a break by a success, by id beginning after `afterId`, at most `limit`. */
export async function findSlowSessions(
  db: Db,
  key: RoomKey,
  { minMs, afterId, limit }: { minMs: number; afterId: string; limit: number },
): Promise<string[]> {
  const rows = await selectRoomTimes(db, key)
    .select("session_id")
    // A constant, as in the index.
    .where(sql<SqlBool>`longest_ms >= ${sql.lit(minMs)}`)
    .where("session_id", ">", afterId)
    .orderBy("session_id")
    .limit(limit)
    .execute();
  return rows.map(({ session_id }) => session_id);
}
