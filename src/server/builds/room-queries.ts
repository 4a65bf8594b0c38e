/** Reads what the rooms of a build are called. */
import { toTagRoom } from "../../shared/tag-subjects.ts";
import type { Db } from "../db/schema.ts";
import type { BuildScope } from "./build-queries.ts";

/** The names of the rooms of a build, as its events have them, by their names in tags. */
export async function readRoomNames(db: Db, build: BuildScope): Promise<ReadonlyMap<string, string>> {
  const rooms = await readRooms(db, build);
  // Rooms whose names differ only in symbols share a name in tags: the first one names all of them.
  return new Map(rooms.toReversed().map((room) => [toTagRoom(room), room]));
}

/** The rooms of a build, as events name them, in alphabetical order. */
export async function readRooms(db: Db, { gameId, version, environment }: BuildScope): Promise<string[]> {
  const rows = await db
    .selectFrom("room_times")
    .select("room")
    .distinct()
    .where((eb) => eb.and({ game_id: gameId, build: version }))
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .orderBy("room")
    .execute();
  return rows.map(({ room }) => room);
}
