/** Compares the events of a request with the stored events that have the same ids. */
import { isDeepStrictEqual } from "node:util";
import { DamagedData, skipDamaged } from "../core/stored-data.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import { SessionPositions } from "../positions/session-positions.ts";
import { decodeIds, decodeRooms, type StoredBatch } from "./batch-codec.ts";
import { BlockReader, decodeEvents, readBatch } from "./batch-queries.ts";
import type { TelemetryEvent } from "./event-names.ts";

/** The session to which events are added. Its row must be locked. */
export type LockedSession = Pick<SessionRow, "game_id" | "id" | "next_batch">;

/** A new event, one that is stored with the same content, or one whose id belongs to an event with other content. */
type EventMatch = "new" | "duplicate" | "conflict";

/** Stored events by id. The event is null if it is damaged. */
type EventsById = ReadonlyMap<string, TelemetryEvent | null>;

interface RequestEvents {
  /** All events of the request. */
  readonly sent: readonly TelemetryEvent[];
  /** Those that become the session's next batch. It grows while the request is filtered. */
  readonly fresh: readonly TelemetryEvent[];
}

/**
 * The most batches and chunks of positions that are read for one request. A client that sends a request again needs one batch.
 * Beyond, events with known ids count as sent again, so that nobody can make the service read a whole session.
 */
const MAX_READ = { batches: 4, chunks: 64 } as const;

export class StoredEvents {
  readonly #db: Db;
  readonly #session: LockedSession;
  readonly #request: RequestEvents;
  readonly #blocks: BlockReader;
  readonly #positions: SessionPositions;
  /** The events of the stored batches that were read. */
  readonly #batches = new Map<number, EventsById>();
  readonly #fresh = new Map<string, TelemetryEvent>();
  #sentIds: ReadonlySet<string> | null = null;
  #read = { batches: 0, chunks: 0 };

  constructor(db: Db, session: LockedSession, request: RequestEvents) {
    this.#db = db;
    this.#session = session;
    this.#request = request;
    this.#blocks = new BlockReader(db, session.game_id);
    this.#positions = new SessionPositions(db, session.game_id, session.id);
  }

  /** Compares an event with those in the given batches that have its id. Each stored batch is read once. */
  async compare(event: TelemetryEvent, batches: readonly number[]): Promise<EventMatch> {
    for (const batch of batches) {
      const stored = (await this.#load(batch)).get(event.id);
      if (stored === undefined) continue;
      // An event whose content is lost cannot be compared.
      return stored === null || hasSameContent(stored, event) ? "duplicate" : "conflict";
    }
    return "new";
  }

  async #load(seq: number): Promise<EventsById> {
    if (seq === this.#session.next_batch) return this.#loadFresh();
    const known = this.#batches.get(seq);
    if (known) return known;
    const events = await this.#readBatch(seq);
    this.#batches.set(seq, events);
    return events;
  }

  #loadFresh(): EventsById {
    for (const event of this.#request.fresh.slice(this.#fresh.size)) this.#fresh.set(event.id, event);
    return this.#fresh;
  }

  /** Reads the events of a stored batch that have an id of the request. The others are not kept in memory. */
  async #readBatch(seq: number): Promise<EventsById> {
    const { game_id, id: sessionId } = this.#session;
    this.#sentIds ??= new Set(this.#request.sent.map(({ id }) => id));
    const sentIds = this.#sentIds;
    const batch = await readBatch(this.#db, game_id, sessionId, seq, this.#blocks);
    const ids = batch ? decodeKnownIds(batch).filter((id) => sentIds.has(id)) : [];
    if (!batch || ids.length === 0) return new Map();
    const events = this.#mayRead(batch)
      ? await skipDamaged(() => decodeEvents(batch, seq, this.#positions))
      : null;
    if (events === null) return new Map(ids.map((id) => [id, null]));
    return new Map(events.flatMap((event) => (sentIds.has(event.id) ? [[event.id, event]] : [])));
  }

  #mayRead(batch: StoredBatch): boolean {
    const batches = this.#read.batches + 1;
    const chunks = this.#read.chunks + decodeRoomsOrNone(batch).length;
    if (batches > MAX_READ.batches || chunks > MAX_READ.chunks) return false;
    this.#read = { batches, chunks };
    return true;
  }
}

/** The rooms of a stored batch with positions; none if the batch is damaged. */
function decodeRoomsOrNone(batch: StoredBatch): readonly unknown[] {
  try {
    return decodeRooms(batch);
  } catch (error) {
    if (error instanceof DamagedData) return [];
    throw error;
  }
}

/**
 * The ids of a stored batch; none if the batch is damaged. Its events are lost, so that new ones are accepted as if they
 * had never arrived. The analysis of the session reports the damage.
 */
export function decodeKnownIds(batch: StoredBatch): readonly string[] {
  try {
    return decodeIds(batch);
  } catch (error) {
    if (error instanceof DamagedData) return [];
    throw error;
  }
}

/** Whether two events differ at most in their ids. The order of keys in their data does not matter. */
function hasSameContent(a: TelemetryEvent, b: TelemetryEvent): boolean {
  return (
    a.name === b.name && a.timestamp === b.timestamp && isDeepStrictEqual(normalizeData(a), normalizeData(b))
  );
}

/** The data of an event as a batch stores it: JSON writes -0 as 0, and a number that is too large as null. */
const normalizeData = ({ data }: TelemetryEvent): unknown => (data ? JSON.parse(JSON.stringify(data)) : null);
