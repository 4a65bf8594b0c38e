/** Reads what the rooms of a build are called. */
import { toTagRoom } from "../../shared/tag-subjects.ts";
import type { BuildScope } from "../builds/build-queries.ts";
import type { Db } from "../db/schema.ts";

/** The names of the rooms of a build, as its events have them, by their names in tags. */
export async function readRoomNames(
  db: Db,
  { gameId, version, environment }: BuildScope,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom("room_times")
    .select("room")
    .distinct()
    .where("game_id", "=", gameId)
    .where("build", "=", version)
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .orderBy("room")
    .execute();
  // Rooms whose names differ only in symbols share a name in tags: the first one names all of them.
  return new Map(rows.toReversed().map(({ room }) => [toTagRoom(room), room]));
}
