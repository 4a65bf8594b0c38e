/** Reads stored positions: each room's extent from indexes alone, and the points of blocks and of the chunks beside them. */
import { prepareQuery } from "../db/prepared.ts";
import type { Db } from "../db/schema.ts";
import type { RoomExtent } from "./points.ts";
import { unpackPoints } from "./points.ts";

/** Which positions are taken: those of a game's Unity sessions, of one build or environment where given. */
export interface PositionFilter {
  readonly gameId: string;
  readonly build?: string | undefined;
  readonly env?: string | undefined;
}

type RoomPositionFilter = PositionFilter & { readonly room: string };

/**
 * How many positions a room has, and how many of them lie in blocks. A position is stored in a chunk, moves into a block
 * once, and stays there: of two states of a room where `points` and `inBlocks` are the same, so is all that is stored.
 */
export interface RoomPositions extends RoomExtent {
  readonly inBlocks: number;
}

/** Every room with positions, by volume, then name. */
export async function readRoomPositions(db: Db, filter: PositionFilter): Promise<RoomPositions[]> {
  const rooms = new Map<string, RoomPositions>();
  for (const table of ["position_blocks", "position_chunks"] as const) {
    for (const row of (await extentQueries[table](db, filter)).rows) {
      const [points, known] = [Number(row.points), rooms.get(row.room)];
      const inBlocks = table === "position_blocks" ? points : 0;
      rooms.set(row.room, known ? mergeExtents(known, { ...row, points }) : { ...row, points, inBlocks });
    }
  }
  return [...rooms.values()].sort((a, b) => b.points - a.points || (a.room < b.room ? -1 : 1));
}

const extentQueries = {
  position_blocks: prepareExtentQuery("position_blocks"),
  position_chunks: prepareExtentQuery("position_chunks"),
};

function prepareExtentQuery(table: "position_blocks" | "position_chunks") {
  return prepareQuery((db, filter: PositionFilter) =>
    selectPositions(db, table, filter)
      .select((eb) => [
        "room",
        eb.fn.sum<number>("points").as("points"),
        eb.fn.min<number>("x_min").as("xMin"),
        eb.fn.max<number>("x_max").as("xMax"),
        eb.fn.min<number>("y_min").as("yMin"),
        eb.fn.max<number>("y_max").as("yMax"),
      ])
      .groupBy("room"),
  );
}

function mergeExtents(blocks: RoomPositions, chunks: RoomExtent): RoomPositions {
  return {
    ...blocks,
    points: blocks.points + chunks.points,
    xMin: Math.min(blocks.xMin, chunks.xMin),
    xMax: Math.max(blocks.xMax, chunks.xMax),
    yMin: Math.min(blocks.yMin, chunks.yMin),
    yMax: Math.max(blocks.yMax, chunks.yMax),
  };
}

function selectPositions(
  db: Db,
  table: "position_blocks" | "position_chunks",
  { gameId, build, env }: PositionFilter,
) {
  return db
    .selectFrom(table)
    .where("game_id", "=", gameId)
    .where("mapped", "=", 1)
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .$if(env !== undefined, (query) => query.where("environment", "=", env ?? ""));
}

/** The blocks of a room, and how many points each has by now. */
export async function findRoomBlocks(
  db: Db,
  filter: PositionFilter,
  room: string,
): Promise<{ id: number; points: number }[]> {
  return await selectPositions(db, "position_blocks", filter)
    .select(["id", "points"])
    .where("room", "=", room)
    .execute();
}

/** How many blocks one statement names. */
const MAX_BLOCKS_PER_STATEMENT = 100;

/** The points of some blocks of a game: x and y of each in turn. */
export async function* streamBlockPoints(
  db: Db,
  gameId: string,
  ids: readonly number[],
): AsyncGenerator<{ id: number; xy: Float64Array }> {
  for (let at = 0; at < ids.length; at += MAX_BLOCKS_PER_STATEMENT) {
    const rows = db
      .selectFrom("position_blocks")
      .select(["id", "xy"])
      .where("game_id", "=", gameId)
      .where("id", "in", ids.slice(at, at + MAX_BLOCKS_PER_STATEMENT))
      .stream();
    for await (const { id, xy } of rows) yield { id, xy: unpackPoints(xy) };
  }
}

/** Which chunk of a game's room it is. */
export interface ChunkId {
  readonly session_id: string;
  readonly seq: number;
}

/** The chunks of a room that are in no block yet. */
export async function findRoomChunks(db: Db, filter: PositionFilter, room: string): Promise<ChunkId[]> {
  return (await roomChunksQuery(db, { ...filter, room })).rows;
}

const roomChunksQuery = prepareQuery((db, filter: RoomPositionFilter) =>
  selectPositions(db, "position_chunks", filter)
    .select(["session_id", "seq"])
    .where("room", "=", filter.room),
);

/** The points of a room's chunks, of some sessions where they are named: n of x, then n of y. */
export async function* streamChunkPoints(
  db: Db,
  filter: PositionFilter,
  room: string,
  sessions: readonly string[] | null,
): AsyncGenerator<ChunkId & { xy: Float64Array }> {
  if (sessions === null) {
    const rows = selectPositions(db, "position_chunks", filter)
      .select(["session_id", "seq", "xy"])
      .where("room", "=", room)
      .stream();
    for await (const { xy, ...id } of rows) yield { ...id, xy: unpackPoints(xy) };
    return;
  }
  for (const session of sessions) {
    const { rows } = await sessionChunksQuery(db, { ...filter, room, session });
    for (const { xy, ...id } of rows) yield { ...id, xy: unpackPoints(xy) };
  }
}

const sessionChunksQuery = prepareQuery((db, filter: RoomPositionFilter & { readonly session: string }) =>
  selectPositions(db, "position_chunks", filter)
    .select(["session_id", "seq", "xy"])
    .where("room", "=", filter.room)
    .where("session_id", "=", filter.session),
);
