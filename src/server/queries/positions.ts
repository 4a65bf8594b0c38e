/** Reads stored positions: each room's extent from the index alone, and the points of the rooms that are drawn. */
import type { Db } from "../db/schema.ts";
import type { RoomExtent } from "../ingest/batch-codec.ts";
import { unpackPoints } from "../ingest/bytes.ts";

/** Which positions are taken: those of a game's Unity sessions, of one build or environment where given. */
export interface PositionFilter {
  readonly gameId: string;
  readonly build?: string | undefined;
  /** `all` does not narrow. */
  readonly env?: string | undefined;
}

function chunks(db: Db, filter: PositionFilter) {
  const { gameId, build, env } = filter;
  return db
    .selectFrom("position_chunks")
    .where("game_id", "=", gameId)
    .where("mapped", "=", 1)
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .$if(env !== undefined && env !== "all", (query) => query.where("environment", "=", env ?? ""));
}

/** Every room with positions, by volume, then name. */
export async function roomExtents(db: Db, filter: PositionFilter): Promise<RoomExtent[]> {
  const rows = await chunks(db, filter)
    .select((eb) => [
      "room",
      eb.fn.sum<number>("points").as("points"),
      eb.fn.min<number>("x_min").as("xMin"),
      eb.fn.max<number>("x_max").as("xMax"),
      eb.fn.min<number>("y_min").as("yMin"),
      eb.fn.max<number>("y_max").as("yMax"),
    ])
    .groupBy("room")
    .execute();
  return rows
    .map((row) => ({ ...row, points: Number(row.points) }))
    .sort((a, b) => b.points - a.points || (a.room < b.room ? -1 : 1));
}

/** The points of a room, chunk by chunk: n of x, then n of y. */
export async function* roomPoints(
  db: Db,
  filter: PositionFilter,
  room: string,
): AsyncGenerator<Float64Array> {
  const rows = chunks(db, filter).select("xy").where("room", "=", room).stream();
  for await (const row of rows) yield unpackPoints(row.xy);
}
