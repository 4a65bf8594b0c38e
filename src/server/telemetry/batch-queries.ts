/** Reads and writes stored events, one row for each telemetry batch. */
import { prepareQuery } from "../db/prepared.ts";
import type { Db, EventBatchRow, SessionRow } from "../db/schema.ts";
import type { BatchKey } from "../positions/chunk-queries.ts";
import { SessionPositions } from "../positions/session-positions.ts";
import { decodeBatch, decodeRooms, type StoredBatch } from "./batch-codec.ts";
import type { TelemetryEvent } from "./events.ts";

/** The session to which a batch is added. `next_batch` becomes the number of the batch. */
type BatchSession = Pick<SessionRow, "game_id" | "id" | "next_batch">;

export async function insertBatch(
  db: Db,
  session: BatchSession,
  { payload, event_count }: StoredBatch,
): Promise<void> {
  const { game_id, id: session_id, next_batch: seq } = session;
  await insertBatchQuery(db, { game_id, session_id, seq, event_count, payload });
}

const insertBatchQuery = prepareQuery((db, row: EventBatchRow) => db.insertInto("event_batches").values(row));

/** Reads the stored batches of a session in order, beginning with the number `batch`. */
export async function readBatchesFrom(
  db: Db,
  gameId: string,
  sessionId: string,
  batch: number,
): Promise<StoredBatch[]> {
  return await db
    .selectFrom("event_batches")
    .select(["payload", "event_count"])
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .where("seq", ">=", batch)
    .orderBy("seq")
    .execute();
}

/** Reads a stored batch; undefined if it does not exist. */
export async function readBatch(
  db: Db,
  gameId: string,
  sessionId: string,
  seq: number,
): Promise<StoredBatch | undefined> {
  return await db
    .selectFrom("event_batches")
    .select(["payload", "event_count"])
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .where("seq", "=", seq)
    .executeTakeFirst();
}

/** Reads several stored batches, at most one of each session. */
export async function readBatches(
  db: Db,
  gameId: string,
  batches: readonly BatchKey[],
): Promise<(StoredBatch & { readonly session_id: string })[]> {
  return await db
    .selectFrom("event_batches")
    .select(["session_id", "payload", "event_count"])
    .where("game_id", "=", gameId)
    .where((eb) => eb.or(batches.map(({ sessionId, seq }) => eb.and({ session_id: sessionId, seq }))))
    .execute();
}

/** The number of stored batches of a session. While its events are being pruned, it still has some of them. */
export async function countBatches(db: Db, gameId: string, sessionId: string): Promise<number> {
  const row = await db
    .selectFrom("event_batches")
    .select((eb) => eb.fn.countAll<number>().as("batches"))
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .executeTakeFirst();
  return Number(row?.batches ?? 0);
}

/** Yields the stored events of a session, one batch at a time in the order of arrival. Throws DamagedData. */
export async function* streamStoredEvents(
  db: Db,
  gameId: string,
  sessionId: string,
): AsyncGenerator<TelemetryEvent[]> {
  const positions = new SessionPositions(db, gameId, sessionId);
  for (let seq = 0; ; seq += 1) {
    const batch = await readBatch(db, gameId, sessionId, seq);
    if (!batch) return;
    yield await decodeEvents(batch, seq, positions);
  }
}

/** Decodes the events of a stored batch, with the positions of its session. Throws DamagedData. */
export async function decodeEvents(
  batch: StoredBatch,
  seq: number,
  positions: SessionPositions,
): Promise<TelemetryEvent[]> {
  const columns = await positions.readBatch(seq, decodeRooms(batch));
  return decodeBatch(batch, (room) => columns.get(room) ?? new Float64Array());
}
