/** Reads stored positions: the extents of rooms, from indexes only, and the points of blocks and chunks. */
import type { SessionSource } from "../../contract/sessions.ts";
import { OTHER_EVENTS } from "../../shared/event-names.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import { prepareQuery } from "../db/prepared.ts";
import type { Db } from "../db/schema.ts";
import { sumEvents } from "../sessions/event-sum-queries.ts";
import { mergeBounds } from "./block-queries.ts";
import { isIntact, type PointBytes, type Points, type RoomExtent, unpackPoints } from "./points.ts";

/** Selects the positions of one event of a game, optionally of one source, build, environment or player. */
export interface PositionFilter {
  readonly gameId: string;
  readonly event: string;
  readonly source?: SessionSource | undefined;
  readonly build?: string | undefined;
  readonly env?: string | undefined;
  /** Only the positions of this player of a device. */
  readonly player?: string | undefined;
}

type RoomPositionFilter = PositionFilter & { readonly room: string };

/**
 * The extent of a room, and how many of its positions are in blocks. A position is first stored in a chunk and moves into
 * a block once. So if `points` and `inBlocks` are unchanged, all stored positions of the room are unchanged.
 */
export interface RoomPositions extends RoomExtent {
  readonly inBlocks: number;
}

/** Reads every room with positions, sorted by number of positions (most first), then by name. */
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
        eb.fn.min<number | null>("z_min").as("zMin"),
        eb.fn.max<number | null>("z_max").as("zMax"),
      ])
      .groupBy("room"),
  );
}

/** Counts the positions that match, by source. */
export async function countBySource(db: Db, filter: PositionFilter): Promise<Map<string, number>> {
  return await sumTables(
    async (table) =>
      await selectPositions(db, table, filter)
        .select((eb) => ["source as name", eb.fn.sum<number>("points").as("points")])
        .groupBy("source")
        .execute(),
  );
}

/** Counts the positions of every event, by its name. */
export async function countByEvent(
  db: Db,
  filter: Omit<PositionFilter, "event">,
): Promise<Map<string, number>> {
  return await sumTables(
    async (table) =>
      await selectPositions(db, table, filter)
        .select((eb) => ["event as name", eb.fn.sum<number>("points").as("points")])
        .groupBy("event")
        .execute(),
  );
}

/** The source with the most positions, by room. */
export async function findRoomSources(db: Db, filter: PositionFilter): Promise<Map<string, string>> {
  const rooms = new Map<string, Map<string, number>>();
  for (const table of ["position_blocks", "position_chunks"] as const) {
    const rows = await selectPositions(db, table, filter)
      .select((eb) => ["room", "source", eb.fn.sum<number>("points").as("points")])
      .groupBy(["room", "source"])
      .execute();
    for (const { room, source, points } of rows) {
      const counts = rooms.get(room) ?? new Map<string, number>();
      rooms.set(room, counts);
      counts.set(source, (counts.get(source) ?? 0) + Number(points));
    }
  }
  const findMost = (counts: ReadonlyMap<string, number>) =>
    [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0] ?? "";
  return new Map([...rooms].map(([room, counts]) => [room, findMost(counts)]));
}

/** Adds up the positions in blocks and chunks. */
async function sumTables(
  read: (table: "position_blocks" | "position_chunks") => Promise<{ name: string; points: number }[]>,
): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  for (const table of ["position_blocks", "position_chunks"] as const) {
    for (const { name, points } of await read(table)) sums.set(name, (sums.get(name) ?? 0) + Number(points));
  }
  return sums;
}

/** Counts the events with the filter's name in sessions of any source, and the events that were counted without their name. */
export async function countEvents(
  db: Db,
  { gameId, event, build, env }: PositionFilter,
): Promise<{ counted: number; unnamed: number }> {
  const counts = await sumEvents(db, { gameId, build, environment: env });
  return { counted: counts.get(event) ?? 0, unnamed: counts.get(OTHER_EVENTS) ?? 0 };
}

function mergeExtents(blocks: RoomPositions, chunks: RoomExtent): RoomPositions {
  return {
    ...blocks,
    points: blocks.points + chunks.points,
    xMin: Math.min(blocks.xMin, chunks.xMin),
    xMax: Math.max(blocks.xMax, chunks.xMax),
    yMin: Math.min(blocks.yMin, chunks.yMin),
    yMax: Math.max(blocks.yMax, chunks.yMax),
    zMin: mergeBounds(Math.min, blocks.zMin, chunks.zMin),
    zMax: mergeBounds(Math.max, blocks.zMax, chunks.zMax),
  };
}

function selectPositions(
  db: Db,
  table: "position_blocks" | "position_chunks",
  { gameId, event, source, build, env, player }: Omit<PositionFilter, "event"> & { readonly event?: string },
) {
  return db
    .selectFrom(table)
    .where("game_id", "=", gameId)
    .$if(event !== undefined, (query) => query.where("event", "=", event ?? ""))
    .$if(source !== undefined, (query) => query.where("source", "=", source ?? SOURCES.unity))
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .$if(env !== undefined, (query) => query.where("environment", "=", env ?? ""))
    .$if(player !== undefined, (query) => query.where("player", "=", player ?? ""));
}

/** Finds the blocks of a room, with their numbers of points. */
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

const MAX_BLOCKS_PER_STATEMENT = 100;

/** Reads the points of blocks. Skips damaged blocks. */
export async function* streamBlockPoints(
  db: Db,
  gameId: string,
  ids: readonly number[],
): AsyncGenerator<Points & { id: number }> {
  for (let start = 0; start < ids.length; start += MAX_BLOCKS_PER_STATEMENT) {
    const rows = db
      .selectFrom("position_blocks")
      .select(["id", "points", "xy", "z"])
      .where("game_id", "=", gameId)
      .where("id", "in", ids.slice(start, start + MAX_BLOCKS_PER_STATEMENT))
      .stream();
    for await (const row of rows) if (isIntact(row)) yield { id: row.id, ...unpackPoints(row) };
  }
}

/** The most blocks and chunks whose points are read to guess the plane of a room: the newest ones. */
const GUESSED_FROM = { blocks: 2, chunks: 200 } as const;

/** Some points of a room that have a z, in the layout of a block or chunk. Skips damaged ones. */
export async function* streamHeights(
  db: Db,
  filter: PositionFilter,
  room: string,
): AsyncGenerator<{ points: Points; layout: "block" | "chunk" }> {
  const blocks = await selectPositions(db, "position_blocks", filter)
    .select("id")
    .where("room", "=", room)
    .where("z_min", "is not", null)
    .orderBy("id", "desc")
    .limit(GUESSED_FROM.blocks)
    .execute();
  const ids = blocks.map(({ id }) => id);
  for await (const points of streamBlockPoints(db, filter.gameId, ids)) yield { points, layout: "block" };
  const chunks = await selectPositions(db, "position_chunks", filter)
    .select(["points", "xy", "z"])
    .where("room", "=", room)
    .where("z_min", "is not", null)
    .limit(GUESSED_FROM.chunks)
    .execute();
  for (const row of chunks) if (isIntact(row)) yield { points: unpackPoints(row), layout: "chunk" };
}

/** Identifies a chunk within a room of a game. */
export interface ChunkId {
  readonly session_id: string;
  readonly seq: number;
  readonly player: string;
}

/** Finds the chunks of a room, whose positions are not in a block yet. */
export async function findRoomChunks(db: Db, filter: PositionFilter, room: string): Promise<ChunkId[]> {
  return (await roomChunksQuery(db, { ...filter, room })).rows;
}

const roomChunksQuery = prepareQuery((db, filter: RoomPositionFilter) =>
  selectPositions(db, "position_chunks", filter)
    .select(["session_id", "seq", "player"])
    .where("room", "=", filter.room),
);

/**
 * Reads the points of a room's chunks, of all sessions if `sessions` is null. Skips damaged chunks:
 * the analysis of their session reports them, and the heatmap shows everything else.
 */
export async function* streamChunkPoints(
  db: Db,
  filter: PositionFilter,
  room: string,
  sessions: readonly string[] | null,
): AsyncGenerator<ChunkId & Points> {
  if (sessions === null) {
    const rows = selectPositions(db, "position_chunks", filter)
      .select(["session_id", "seq", "player", "points", "xy", "z"])
      .where("room", "=", room)
      .stream();
    for await (const row of rows) if (isIntact(row)) yield toChunkPoints(row);
    return;
  }
  for (const session of sessions) {
    const { rows } = await sessionChunksQuery(db, { ...filter, room, session });
    for (const row of rows) if (isIntact(row)) yield toChunkPoints(row);
  }
}

const toChunkPoints = ({ session_id, seq, player, xy, z }: ChunkId & PointBytes) => ({
  ...{ session_id, seq, player },
  ...unpackPoints({ xy, z }),
});

const sessionChunksQuery = prepareQuery((db, filter: RoomPositionFilter & { readonly session: string }) =>
  selectPositions(db, "position_chunks", filter)
    .select(["session_id", "seq", "player", "points", "xy", "z"])
    .where((eb) => eb.and({ room: filter.room, session_id: filter.session })),
);
