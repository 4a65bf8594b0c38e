/** Reads and writes stored events, one row for each telemetry batch. */
import { HOUR_MS } from "../../shared/time-units.ts";
import { prepareQuery } from "../db/prepared.ts";
import type { Db, EventBatchRow, SessionRow } from "../db/schema.ts";
import { isSharded } from "../db/sharding.ts";
import type { BatchKey } from "../positions/chunk-queries.ts";
import { formatPlayerRoom, NO_POINTS } from "../positions/points.ts";
import { SessionPositions } from "../positions/session-positions.ts";
import { findBlock, readBlock } from "./batch-blocks.ts";
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

const batchColumns = ["session_id", "seq", "payload", "event_count"] as const;
type BatchRow = StoredBatch & BatchKey;

/** Reads the stored batches of a session in order, beginning with the number `batch`. */
export async function readBatchesFrom(
  db: Db,
  gameId: string,
  sessionId: string,
  batch: number,
): Promise<StoredBatch[]> {
  return await new BlockReader(db, gameId).unpack(await readRowsFrom(db, gameId, sessionId, batch));
}

/** Reads the rows of the batches of a session in order, as they are stored. */
export async function readRowsFrom(db: Db, gameId: string, sessionId: string, batch: number, limit?: number) {
  return (await rowsFromQuery(db, { gameId, sessionId, batch, limit })).rows;
}

interface RowsFromQuery {
  readonly gameId: string;
  readonly sessionId: string;
  readonly batch: number;
  readonly limit: number | undefined;
}

const rowsFromQuery = prepareQuery((db, { gameId, sessionId, batch, limit }: RowsFromQuery) =>
  db
    .selectFrom("event_batches")
    .selectAll()
    .where((eb) => eb.and({ game_id: gameId, session_id: sessionId }))
    .where("seq", ">=", batch)
    .orderBy("seq")
    .$if(limit !== undefined, (query) => query.limit(limit as number)),
);

/**
 * Stores batches of a session again, in other rows. SQLite keeps the space of a row that becomes smaller, but reuses that of a
 * deleted one.
 */
export async function replaceRows(db: Db, gameId: string, rows: readonly EventBatchRow[]): Promise<void> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return;
  await db
    .deleteFrom("event_batches")
    .where((eb) => eb.and({ game_id: gameId, session_id: first.session_id }))
    .where("seq", ">=", first.seq)
    .where("seq", "<=", last.seq)
    .execute();
  await db.insertInto("event_batches").values(rows).execute();
}

type ReceivedBatch = StoredBatch & Pick<EventBatchRow, "received_at">;

/** Reads a stored batch; undefined if it does not exist. Pass `blocks` to read several batches of a session. */
export async function readBatch(
  db: Db,
  gameId: string,
  sessionId: string,
  seq: number,
  blocks = new BlockReader(db, gameId),
): Promise<ReceivedBatch | undefined> {
  const [row] = (await batchQuery(db, { gameId, sessionId, seq })).rows;
  return row && (await blocks.unpack([row]))[0];
}

const batchQuery = prepareQuery(
  (db, { gameId, sessionId, seq }: { gameId: string; sessionId: string; seq: number }) =>
    db
      .selectFrom("event_batches")
      .select([...batchColumns, "received_at"])
      .where((eb) => eb.and({ game_id: gameId, session_id: sessionId, seq })),
);

/** Reads several stored batches, in any order. */
export async function readBatches(db: Db, gameId: string, batches: readonly BatchKey[]): Promise<BatchRow[]> {
  return await new BlockReader(db, gameId).unpack(await readRows(db, gameId, batches));
}

async function readRows(db: Db, gameId: string, batches: readonly BatchKey[]): Promise<BatchRow[]> {
  if (batches.length === 0) return [];
  return await db
    .selectFrom("event_batches")
    .select(batchColumns)
    .where("game_id", "=", gameId)
    .where((eb) => eb.or(batches.map(({ session_id, seq }) => eb.and({ session_id, seq }))))
    .execute();
}

/** The number of blocks that a reader keeps: batches are read from both ends of a session. */
const MAX_KEPT_BLOCKS = 2;

/** Reads batches that are in blocks. Keeps the last blocks, because the next batches are usually in the same ones. */
export class BlockReader {
  readonly #db: Db;
  readonly #gameId: string;
  #blocks = new Map<string, readonly Uint8Array[]>();

  constructor(db: Db, gameId: string) {
    this.#db = db;
    this.#gameId = gameId;
  }

  /** The same batches with their encoded payloads. Those whose block is missing or damaged remain as they are, and cannot be decoded. */
  async unpack<Row extends BatchRow>(rows: readonly Row[]): Promise<Row[]> {
    const packed = rows.flatMap((row) => {
      const first = findBlock(row);
      return first === null ? [] : [{ session_id: row.session_id, seq: first }];
    });
    if (packed.length === 0) return [...rows];
    await this.#load(packed, rows);
    return rows.map((row) => {
      const first = findBlock(row);
      if (first === null) return row;
      const payload = this.#blocks.get(toKey({ ...row, seq: first }))?.[row.seq - first];
      return payload ? { ...row, payload } : row;
    });
  }

  async #load(needed: readonly BatchKey[], rows: readonly BatchRow[]): Promise<void> {
    const blocks = new Map([...this.#blocks].slice(-MAX_KEPT_BLOCKS));
    const given = new Map(rows.map((row) => [toKey(row), row]));
    const missing = new Map<string, BatchKey>();
    for (const key of needed) {
      const id = toKey(key);
      const row = given.get(id);
      if (blocks.has(id)) continue;
      if (row) blocks.set(id, readBlock(row.payload));
      else missing.set(id, key);
    }
    for (const row of await readRows(this.#db, this.#gameId, [...missing.values()]))
      blocks.set(toKey(row), readBlock(row.payload));
    this.#blocks = blocks;
  }
}

const toKey = ({ session_id, seq }: BatchKey) => `${seq} ${session_id}`;

/** Yields the stored events of a session, one batch at a time in the order of arrival. Throws DamagedData. */
export async function* streamStoredEvents(
  db: Db,
  gameId: string,
  sessionId: string,
): AsyncGenerator<TelemetryEvent[]> {
  for await (const { events } of streamArrivedEvents(db, gameId, sessionId)) yield events;
}

interface ArrivedEvents {
  readonly events: TelemetryEvent[];
  /** Unix ms. */
  readonly receivedAt: number;
}

/** Yields the same with the times of arrival. */
export async function* streamArrivedEvents(
  db: Db,
  gameId: string,
  sessionId: string,
): AsyncGenerator<ArrivedEvents> {
  const positions = new SessionPositions(db, gameId, sessionId);
  const blocks = new BlockReader(db, gameId);
  for (let seq = 0; ; seq += 1) {
    const batch = await readBatch(db, gameId, sessionId, seq, blocks);
    if (!batch) return;
    const events = await decodeEvents(batch, seq, positions);
    yield { events, receivedAt: Number(batch.received_at) };
  }
}

/** Decodes the events of a stored batch, with the positions of its session. Throws DamagedData. */
export async function decodeEvents(
  batch: StoredBatch,
  seq: number,
  positions: SessionPositions,
): Promise<TelemetryEvent[]> {
  const columns = await positions.readBatch(seq, decodeRooms(batch));
  return decodeBatch(batch, (room) => columns.get(formatPlayerRoom(room)) ?? NO_POINTS);
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
