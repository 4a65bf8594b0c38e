/** Reads pages of the stored events of a game in the order of arrival, as JSON. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { skipDamaged } from "../core/stored-data.ts";
import type { Db } from "../db/schema.ts";
import { BatchPositions, type RoomPoints } from "../positions/batch-positions.ts";
import { formatPlayerRoom, NO_POINTS, type PlayerRoom } from "../positions/points.ts";
import { decodeBatch, decodeNames, decodeRooms, type StoredBatch } from "./batch-codec.ts";
import { type ArrivedBatch, type BatchPlace, findArrivedBatches, readBatches } from "./batch-queries.ts";
import { RawEventWriter } from "./raw-event-json.ts";

/** A page ends after this many characters of JSON. An event that alone is larger is still sent. */
const MAX_PAGE_CHARACTERS = 4 * 1024 * 1024;
/** Batches that are found at once, and batches whose events are in memory at the same time. */
const BATCHES_PER_SEARCH = 128;
const BATCHES_PER_READ = 32;
/** A page also ends after this many batches, so that rare events do not hold up the database. */
const MAX_BATCHES = 4096;

/** The place of an event in the order of arrival. */
interface EventPlace extends BatchPlace {
  /** The index of the event in its batch. */
  readonly index: number;
}

interface RawEventFilter {
  readonly build: string | undefined;
  readonly env: string | undefined;
  readonly event: string | undefined;
}

interface RawEventQuery {
  readonly start: EventPlace;
  /** Unix ms, inclusive. */
  readonly to: number | undefined;
  readonly limit: number;
  readonly filter: RawEventFilter;
}

interface RawEventsRead {
  /** Events as JSON. */
  readonly items: string[];
  /** Where the next page starts; null after the last event so far. */
  readonly next: EventPlace | null;
  /** The number of events in damaged batches, which were skipped. */
  readonly unreadable: number;
}

/** Encodes a place as a cursor. */
export function encodePlace({ receivedAt, sessionId, seq, index }: EventPlace): string {
  return Buffer.from([receivedAt, seq, index, sessionId].join(".")).toString("base64url");
}

/** Decodes a cursor; null if it is not one. */
export function decodePlace(cursor: string): EventPlace | null {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const [receivedAt, seq, index, sessionId = "", ...rest] = text.split(".");
  if (rest.length > 0 || !SESSION_ID.test(sessionId)) return null;
  if (!isCount(receivedAt, 15) || !isCount(seq, 9) || !isCount(index, 9)) return null;
  return { receivedAt: Number(receivedAt), sessionId, seq: Number(seq), index: Number(index) };
}

const SESSION_ID = /^[\w-]*$/;
const DIGITS = /^\d+$/;

const isCount = (text = "", maxDigits: number): boolean => text.length <= maxDigits && DIGITS.test(text);

export async function readRawEvents(db: Db, gameId: string, query: RawEventQuery): Promise<RawEventsRead> {
  const page = new PageReader(db, gameId, query);
  let from: EventPlace = query.start;
  for (let batches = 0; batches < MAX_BATCHES; batches += BATCHES_PER_SEARCH) {
    const found = await findArrivedBatches(db, gameId, { from, to: query.to, limit: BATCHES_PER_SEARCH });
    const next = await page.add(found);
    if (next !== null || found.length < BATCHES_PER_SEARCH) return page.finish(next);
    const last = found.at(-1);
    if (last) from = { ...toPlace(last), seq: last.seq + 1, index: 0 };
  }
  return page.finish(from);
}

const toPlace = ({ received_at, session_id, seq }: ArrivedBatch): BatchPlace => ({
  receivedAt: Number(received_at),
  sessionId: session_id,
  seq,
});

/** Collects the events of a page. */
class PageReader {
  readonly #db: Db;
  readonly #gameId: string;
  readonly #query: RawEventQuery;
  readonly #positions: BatchPositions;
  readonly #items: string[] = [];
  #characters = 0;
  #unreadable = 0;

  constructor(db: Db, gameId: string, query: RawEventQuery) {
    this.#db = db;
    this.#gameId = gameId;
    this.#query = query;
    this.#positions = new BatchPositions(db, gameId);
  }

  /** Adds the events of batches. Returns the place of the first event that does not fit; null if all of them fit. */
  async add(found: readonly ArrivedBatch[]): Promise<EventPlace | null> {
    const { build, env } = this.#query.filter;
    const batches = found.filter(
      (batch) =>
        batch.events_pruned_at === null &&
        (build === undefined || batch.build === build) &&
        (env === undefined || batch.environment === env),
    );
    for (let start = 0; start < batches.length; start += BATCHES_PER_READ) {
      const next = await this.#addGroup(batches.slice(start, start + BATCHES_PER_READ));
      if (next !== null) return next;
      // Other requests are served in between.
      await nextTurn();
    }
    return null;
  }

  finish(next: EventPlace | null): RawEventsRead {
    return { items: this.#items, next, unreadable: this.#unreadable };
  }

  async #addGroup(batches: readonly ArrivedBatch[]): Promise<EventPlace | null> {
    const rows = await readBatches(this.#db, this.#gameId, batches);
    const stored = new Map(rows.map((row) => [`${row.seq} ${row.session_id}`, row]));
    const matching: { batch: ArrivedBatch; events: StoredBatch; rooms: PlayerRoom[] }[] = [];
    for (const batch of batches) {
      const events = stored.get(`${batch.seq} ${batch.session_id}`);
      if (!events) continue;
      // Whether a batch is damaged is found again when its events are decoded.
      const rooms = await skipDamaged(() => (this.#mayMatch(events) ? decodeRooms(events) : null));
      matching.push({ batch, events, rooms: rooms ?? [] });
    }
    const points = await this.#positions.read(matching.map(({ batch, rooms }) => ({ ...batch, rooms })));
    for (const [at, { batch, events }] of matching.entries()) {
      const next = await this.#addBatch(batch, events, points[at] ?? new Map());
      if (next !== null) return next;
    }
    return null;
  }

  #mayMatch(events: StoredBatch): boolean {
    const { event } = this.#query.filter;
    return event === undefined || decodeNames(events).includes(event);
  }

  async #addBatch(batch: ArrivedBatch, stored: StoredBatch, points: RoomPoints): Promise<EventPlace | null> {
    const { start, limit, filter } = this.#query;
    const place = toPlace(batch);
    const first = isSameBatch(place, start) ? start.index : 0;
    const events = await skipDamaged(() =>
      this.#mayMatch(stored)
        ? decodeBatch(stored, (room) => points.get(formatPlayerRoom(room)) ?? NO_POINTS)
        : [],
    );
    // The page on which a batch starts has counted it.
    if (events === null && first === 0) this.#unreadable += stored.event_count;
    const writer = new RawEventWriter(batch);
    for (let index = first; events && index < events.length; index += 1) {
      const event = events[index];
      if (!event || (filter.event !== undefined && event.name !== filter.event)) continue;
      const item = writer.write(event);
      this.#characters += item.length + 1;
      const isFull = this.#items.length >= limit || this.#characters > MAX_PAGE_CHARACTERS;
      if (isFull && this.#items.length > 0) return { ...place, index };
      this.#items.push(item);
    }
    return null;
  }
}

const isSameBatch = (a: BatchPlace, b: BatchPlace) =>
  a.receivedAt === b.receivedAt && a.sessionId === b.sessionId && a.seq === b.seq;
