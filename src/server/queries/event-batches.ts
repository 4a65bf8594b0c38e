/** Reads and writes stored events: a row a batch, and beside it a row a room with its positions. */
import { kept, keptOfRows } from "../db/kept.ts";
import type { BatchRow, Db, PositionChunkRow, SessionRow } from "../db/schema.ts";
import { decodeBatch, decodeRooms, type RoomPoints } from "../ingest/batch-codec.ts";
import type { TelemetryEvent } from "../ingest/events.ts";
import { SessionPositions } from "./session-positions.ts";

/** The session a batch is added to, as its next. */
type Target = Pick<SessionRow, "game_id" | "id" | "next_batch" | "build" | "environment" | "source">;

export async function insertBatch(
  db: Db,
  session: Target,
  event_count: number,
  payload: Uint8Array,
): Promise<void> {
  const { game_id, id: session_id, next_batch: seq } = session;
  await insertOne(db, { game_id, session_id, seq, event_count, payload });
}

const insertOne = kept((db, row: BatchRow) => db.insertInto("event_batches").values(row));

/** How many chunks one statement inserts: every number of them is a statement that the connection keeps, prepared. */
const CHUNKS_A_STATEMENT = 100;

/** Stores the positions of a batch, room by room. */
export async function insertChunks(db: Db, session: Target, rooms: readonly RoomPoints[]): Promise<void> {
  const { game_id, id: session_id, next_batch: seq, build, environment } = session;
  const mapped = session.source === "unity-telemetry" ? 1 : 0;
  const common = { game_id, session_id, seq, build, environment, mapped };
  const rows = rooms.map(({ room, points, xMin, xMax, yMin, yMax, xy }) => ({
    ...common,
    room,
    points,
    x_min: xMin,
    x_max: xMax,
    y_min: yMin,
    y_max: yMax,
    xy,
  }));
  for (let at = 0; at < rows.length; at += CHUNKS_A_STATEMENT) {
    await insertSome(db, rows.slice(at, at + CHUNKS_A_STATEMENT));
  }
}

const insertSome = keptOfRows((db, rows: readonly PositionChunkRow[]) =>
  db.insertInto("position_chunks").values(rows),
);

/** The stored batches of a session from one on, in order. */
export async function payloadsFrom(
  db: Db,
  gameId: string,
  sessionId: string,
  batch: number,
): Promise<Uint8Array[]> {
  const rows = await db
    .selectFrom("event_batches")
    .select("payload")
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .where("seq", ">=", batch)
    .orderBy("seq")
    .execute();
  return rows.map((row) => row.payload);
}

/** A stored batch, or undefined. */
export async function payloadAt(
  db: Db,
  gameId: string,
  sessionId: string,
  seq: number,
): Promise<Uint8Array | undefined> {
  const batch = await db
    .selectFrom("event_batches")
    .select("payload")
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .where("seq", "=", seq)
    .executeTakeFirst();
  return batch?.payload;
}

/** A session's stored events, batch by batch in the order they arrived. */
export async function* storedEvents(
  db: Db,
  gameId: string,
  sessionId: string,
): AsyncGenerator<TelemetryEvent[]> {
  const positions = new SessionPositions(db, gameId, sessionId);
  for (let seq = 0; ; seq += 1) {
    const payload = await payloadAt(db, gameId, sessionId, seq);
    if (!payload) return;
    const columns = await positions.of(seq, decodeRooms(payload));
    yield decodeBatch(payload, (room) => columns.get(room) ?? new Float64Array());
  }
}
