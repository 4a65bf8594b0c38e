/** Reads and writes stored events, one row for each telemetry batch. */
import { HOUR_MS } from "../../shared/time-units.ts";
import { prepareQuery } from "../db/prepared.ts";
import type { Db, EventBatchRow, SessionRow } from "../db/schema.ts";
import { isSharded } from "../db/sharding.ts";
import type { BatchKey } from "../positions/chunk-queries.ts";
import { SessionPositions } from "../positions/session-positions.ts";
import { decodeBatch, decodeRooms, type StoredBatch } from "./batch-codec.ts";
import type { TelemetryEvent } from "./event-names.ts";

/** The session to which a batch is added. `next_batch` becomes the number of the batch. */
type BatchSession = Pick<SessionRow, "game_id" | "id" | "next_batch">;

/** By how much the clock of a server can be set back without batches getting an earlier time of arrival than others, ms. */
const MAX_SET_BACK_MS = HOUR_MS;

/**
 * Stores a batch that was received at `now`, unix ms. If the clock was set back, the batch arrives 1 ms after the last one:
 * whoever has read up to that one must not miss it. A batch that is even further in the future is ignored, because its own
 * clock was wrong.
 */
export async function insertBatch(
  db: Db,
  session: BatchSession,
  { payload, event_count }: StoredBatch,
  now: number,
): Promise<void> {
  const { game_id, id: session_id, next_batch: seq } = session;
  const row = { game_id, session_id, seq, event_count, payload };
  const latest = now + MAX_SET_BACK_MS;
  if (!isSharded(db)) await insertBatchQuery(db, { ...row, received_at: now, latest });
  else {
    // Citus cannot insert the result of a subquery in one step.
    const { rows } = await lastArrivalQuery(db, { game_id, received_at: now, latest });
    await insertRowQuery(db, { ...row, received_at: rows[0]?.at == null ? now : Number(rows[0].at) + 1 });
  }
}

type ArrivalBounds = Pick<EventBatchRow, "game_id" | "received_at"> & { readonly latest: number };

/** The last arrival in a game after a time. */
const lastArrivalQuery = prepareQuery((db, { game_id, received_at, latest }: ArrivalBounds) =>
  db
    .selectFrom("event_batches")
    .select((eb) => eb.fn.max<number | null>("received_at").as("at"))
    .where("game_id", "=", game_id)
    .where("received_at", ">", received_at)
    .where("received_at", "<=", latest),
);

const insertRowQuery = prepareQuery((db, row: EventBatchRow) => db.insertInto("event_batches").values(row));

const insertBatchQuery = prepareQuery((db, { latest, ...row }: EventBatchRow & { readonly latest: number }) =>
  db.insertInto("event_batches").values((eb) => ({
    ...row,
    received_at: eb
      .selectFrom("event_batches as other")
      .select((other) =>
        other.fn
          .coalesce(other(other.fn.max("other.received_at"), "+", 1), other.val(row.received_at))
          .as("at"),
      )
      .where("other.game_id", "=", row.game_id)
      .where("other.received_at", ">", row.received_at)
      .where("other.received_at", "<=", latest),
  })),
);

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

/** Reads several stored batches, in any order. */
export async function readBatches(
  db: Db,
  gameId: string,
  batches: readonly BatchKey[],
): Promise<(StoredBatch & BatchKey)[]> {
  return await db
    .selectFrom("event_batches")
    .select(["session_id", "seq", "payload", "event_count"])
    .where("game_id", "=", gameId)
    .where((eb) => eb.or(batches.map(({ session_id, seq }) => eb.and({ session_id, seq }))))
    .execute();
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

/** The place of a batch in the order of arrival. */
export interface BatchPlace {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly sessionId: string;
  readonly seq: number;
}

export type ArrivedBatch = Awaited<ReturnType<typeof findArrivedBatches>>[number];

/** Finds the batches from a place on, without their events. Sessions whose events are being pruned are left out. */
export async function findArrivedBatches(
  db: Db,
  gameId: string,
  { from, to, limit }: { readonly from: BatchPlace; readonly to: number | undefined; readonly limit: number },
) {
  return await db
    .selectFrom("event_batches as b")
    .innerJoin("sessions as s", (join) =>
      join.onRef("s.game_id", "=", "b.game_id").onRef("s.id", "=", "b.session_id"),
    )
    .select(["b.received_at", "b.session_id", "b.seq"])
    .select(["s.device_id", "s.tester_handle", "s.build", "s.environment", "s.source", "s.events_pruned_at"])
    .where("b.game_id", "=", gameId)
    .where((eb) =>
      eb(
        eb.refTuple("b.received_at", "b.session_id", "b.seq"),
        ">=",
        eb.tuple(from.receivedAt, from.sessionId, from.seq),
      ),
    )
    .$if(to !== undefined, (query) => query.where("b.received_at", "<=", to ?? 0))
    .orderBy("b.received_at")
    .orderBy("b.session_id")
    .orderBy("b.seq")
    .limit(limit)
    .execute();
}
