/** Reads and writes stored events, one row for each telemetry batch. */
import { prepareQuery } from "../db/prepared.ts";
import type { Db, EventBatchRow, SessionRow } from "../db/schema.ts";
import { SessionPositions } from "../positions/session-positions.ts";
import { decodeBatch, decodeRooms } from "./batch-codec.ts";
import type { TelemetryEvent } from "./events.ts";

/** The session to which a batch is added. `next_batch` becomes the number of the batch. */
type BatchSession = Pick<SessionRow, "game_id" | "id" | "next_batch">;

export async function insertBatch(
  db: Db,
  session: BatchSession,
  event_count: number,
  payload: Uint8Array,
): Promise<void> {
  const { game_id, id: session_id, next_batch: seq } = session;
  await insertBatchQuery(db, { game_id, session_id, seq, event_count, payload });
}

const insertBatchQuery = prepareQuery((db, row: EventBatchRow) => db.insertInto("event_batches").values(row));

/** Reads the stored batches of a session in order, beginning with the number `batch`. */
export async function readPayloadsFrom(
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

/** Reads a stored batch; undefined if it does not exist. */
export async function readPayload(
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

/** Yields the stored events of a session, one batch at a time in the order of arrival. */
export async function* streamStoredEvents(
  db: Db,
  gameId: string,
  sessionId: string,
): AsyncGenerator<TelemetryEvent[]> {
  const positions = new SessionPositions(db, gameId, sessionId);
  for (let seq = 0; ; seq += 1) {
    const payload = await readPayload(db, gameId, sessionId, seq);
    if (!payload) return;
    const columns = await positions.readBatch(seq, decodeRooms(payload));
    yield decodeBatch(payload, (room) => columns.get(room) ?? new Float64Array());
  }
}
