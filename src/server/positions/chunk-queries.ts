/** Reads and writes position chunks: one row for each event and room of a telemetry batch. */
import { EVENTS } from "../../shared/event-names.ts";
import { prepareRowsQuery } from "../db/prepared.ts";
import type { Db, PositionChunkRow, SessionRow } from "../db/schema.ts";
import type { EventPoints } from "./points.ts";

/** The session that a batch is added to. */
type ChunkOwner = Pick<SessionRow, "game_id" | "id" | "next_batch" | "build" | "environment" | "source">;

/** Chunks per statement. Each row count needs its own prepared statement, which the connection caches. */
const MAX_CHUNKS_PER_STATEMENT = 100;
const insertChunksQuery = prepareRowsQuery((db, rows: readonly PositionChunkRow[]) =>
  db.insertInto("position_chunks").values(rows),
);

/** Stores the positions of a telemetry batch, one chunk per event and room. */
export async function insertChunks(
  db: Db,
  session: ChunkOwner,
  positions: readonly EventPoints[],
): Promise<void> {
  const { game_id, id: session_id, next_batch: seq, build, environment, source } = session;
  const common = { game_id, session_id, seq, build, environment, source };
  const rows = positions.map(({ event, room, points, xMin, xMax, yMin, yMax, xy }) => ({
    ...common,
    event,
    room,
    points,
    x_min: xMin,
    x_max: xMax,
    y_min: yMin,
    y_max: yMax,
    xy,
  }));
  for (let start = 0; start < rows.length; start += MAX_CHUNKS_PER_STATEMENT) {
    await insertChunksQuery(db, rows.slice(start, start + MAX_CHUNKS_PER_STATEMENT));
  }
}

/** A stored batch. */
export type BatchKey = Pick<PositionChunkRow, "session_id" | "seq">;

/** Reads the chunks of several batches with player positions that have not been moved into blocks, in any order. */
export async function readBatchChunks(
  db: Db,
  gameId: string,
  batches: readonly BatchKey[],
): Promise<Pick<PositionChunkRow, "session_id" | "seq" | "room" | "xy">[]> {
  return await db
    .selectFrom("position_chunks")
    .select(["session_id", "seq", "room", "xy"])
    .where("game_id", "=", gameId)
    .where("event", "=", EVENTS.position)
    .where((eb) => eb.or(batches.map(({ session_id, seq }) => eb.and({ session_id, seq }))))
    .execute();
}
