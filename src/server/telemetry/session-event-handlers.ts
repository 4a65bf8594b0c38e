/** Lists the events of a session, page by page in the order of arrival, so that cursors stay valid while events arrive. */
import { listClaimedEvents } from "../../contract/claims.ts";
import type { Input } from "../../contract/define.ts";
import { HttpError } from "../../contract/errors.ts";
import {
  AROUND_MS,
  DEFAULT_EVENT_PAGE_SIZE,
  type listSessionEvents,
  MAX_EVENT_PAGE_SIZE,
  type SessionEventItem,
  type SessionEventPage,
} from "../../contract/session-events.ts";
import type { Handler } from "../accounts/handler.ts";
import { badRequest } from "../core/http-errors.ts";
import { decodeCursor, encodeCursor, jsonList, jsonObject } from "../core/responses.ts";
import { skipDamaged } from "../core/stored-data.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import { findInsightClaims } from "../insights/insight-queries.ts";
import { SessionPositions } from "../positions/session-positions.ts";
import { findSession } from "../sessions/session-queries.ts";
import { decodeOutlines } from "./batch-codec.ts";
import { measurePayload } from "./batch-compression.ts";
import { BlockReader, decodeEvents, readBatch } from "./batch-queries.ts";
import { readPlayer, type TelemetryEvent } from "./event-names.ts";
import { findReportTimes } from "./session-batch-queries.ts";

/** A page ends after this many bytes of JSON. An event that alone is larger is still sent. */
const MAX_PAGE_BYTES = 1024 * 1024;
/** A page also ends after reading this many bytes of stored batches, so that rare events do not hold up the database. */
const MAX_SCANNED_BYTES = 8 * 1024 * 1024;

type Query = Input<typeof listSessionEvents>;

/** Which events are returned. */
interface EventFilter {
  readonly name: string | undefined;
  readonly player: string | undefined;
  /** Bounds on the time of the device, inclusive, unix ms. */
  readonly from: number;
  readonly to: number;
  /** The events that the insight in `around` refers to. */
  readonly cited: ReadonlySet<string>;
}

/** The position of an event: the number of its batch, and its index in the batch. */
interface EventPosition {
  readonly batch: number;
  readonly index: number;
}

export const handleListSessionEvents: Handler<typeof listSessionEvents> = async (
  query,
  { db, accountId },
) => {
  const session = await findSession(db, accountId, query.id);
  if (!session) throw new HttpError("not_found");
  const start = readStart(query.cursor);
  if (session.events_pruned_at !== null)
    return jsonObject<SessionEventPage>({
      items: jsonList<SessionEventItem>([]),
      next: null,
      unreadable: 0,
      pruned: describePruned(session),
    });
  const filter = await buildFilter(db, session, query);
  const limit = Math.min(query.limit ?? DEFAULT_EVENT_PAGE_SIZE, MAX_EVENT_PAGE_SIZE);
  const { items, end, unreadable } = await readPage(db, session, { start, filter, limit });
  return jsonObject<SessionEventPage>({
    items: jsonList<SessionEventItem>(items),
    next: end === null ? null : encodeCursor([end.batch, end.index]),
    unreadable,
    pruned: null,
  });
};

/** When the events of a session were removed, and how many there were. */
function describePruned({ events_pruned_at, event_counts }: SessionRow): SessionEventPage["pruned"] {
  const counts = Object.values(JSON.parse(event_counts) as Record<string, number>);
  return { at: events_pruned_at ?? 0, events: counts.reduce((sum, count) => sum + count, 0) };
}

function readStart(cursor: string | undefined): EventPosition {
  if (cursor === undefined) return { batch: 0, index: 0 };
  const [batch, index] = decodeCursor(cursor, 2) ?? [];
  if (batch === undefined || index === undefined)
    throw invalid("cursor", "must be the `next` of an earlier response");
  return { batch, index };
}

const invalid = (field: string, message: string) =>
  badRequest([{ path: [field], code: "invalid_value", message }]);

async function buildFilter(
  db: Db,
  session: SessionRow,
  { event: name, player, from, to, around }: Query,
): Promise<EventFilter> {
  const bounds = { from: from ?? 0, to: to ?? Number.MAX_SAFE_INTEGER };
  if (around === undefined) return { name, player, ...bounds, cited: new Set() };
  const { cited, quoted } = await findReferences(db, session, around);
  const span = (await findSpan(db, session, cited)) ?? (await findReportSpan(db, session, quoted));
  if (span === null) throw invalid("around", "must be an insight that refers to events of the session");
  return {
    ...{ name, player },
    from: Math.max(bounds.from, span.first - AROUND_MS.before),
    to: Math.min(bounds.to, span.last + AROUND_MS.after),
    cited,
  };
}

/** The events that an insight refers to, and what it quotes: answers of players and bug reports. */
async function findReferences(db: Db, session: SessionRow, insight: string) {
  const claims = await findInsightClaims(db, session, insight);
  if (!claims) throw invalid("around", "must be an insight of this session");
  const quoted = claims.flatMap((claim) => (claim.kind === "quote" ? [claim.source] : []));
  return { cited: new Set(claims.flatMap(listClaimedEvents)), quoted };
}

/** The times of the first and the last of these events; null if the session has none of them. */
async function findSpan(
  db: Db,
  { game_id, id, next_batch }: SessionRow,
  wanted: ReadonlySet<string>,
): Promise<{ first: number; last: number } | null> {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let missing = wanted.size;
  const blocks = new BlockReader(db, game_id);
  for (let batch = 0; batch < next_batch && missing > 0; batch += 1) {
    const stored = await readBatch(db, game_id, id, batch, blocks);
    const outlines = stored && (await skipDamaged(() => decodeOutlines(stored)));
    for (const { id: eventId, timestamp } of outlines ?? []) {
      if (!wanted.has(eventId)) continue;
      missing -= 1;
      first = Math.min(first, timestamp);
      last = Math.max(last, timestamp);
    }
  }
  return first <= last ? { first, last } : null;
}

/**
 * The times of the first and the last of these bug reports by the clock of the device; null if none is a bug report. What
 * arrived before or after all events counts as the time of the first or last one: a client may send reports later.
 */
async function findReportSpan(
  db: Db,
  { game_id, id, clock_shift, first_at, last_at }: SessionRow,
  quoted: readonly string[],
): Promise<{ first: number; last: number } | null> {
  const times = quoted.length === 0 ? [] : await findReportTimes(db, game_id, id, quoted);
  if (times.length === 0 || first_at === null || last_at === null) return null;
  const ofDevice = times.map((time) => Math.min(Math.max(time - (clock_shift ?? 0), first_at), last_at));
  return { first: Math.min(...ofDevice), last: Math.max(...ofDevice) };
}

interface PageOptions {
  readonly start: EventPosition;
  readonly filter: EventFilter;
  readonly limit: number;
}

interface EventsPage {
  /** Events as JSON. */
  readonly items: string[];
  /** Where the next page starts; null after the last event. */
  readonly end: EventPosition | null;
  /** The number of events in damaged batches, which were skipped. */
  readonly unreadable: number;
}

async function readPage(
  db: Db,
  session: SessionRow,
  { start, filter, limit }: PageOptions,
): Promise<EventsPage> {
  const positions = new SessionPositions(db, session.game_id, session.id);
  const blocks = new BlockReader(db, session.game_id);
  const items: string[] = [];
  let [bytes, scanned, unreadable] = [0, 0, 0];
  for (let { batch, index: first } = start; batch < session.next_batch; batch += 1, first = 0) {
    if (scanned > MAX_SCANNED_BYTES) return { items, end: { batch, index: first }, unreadable };
    const stored = await readBatch(db, session.game_id, session.id, batch, blocks);
    if (!stored) continue;
    scanned += measurePayload(stored.payload);
    const events = await skipDamaged(async () => {
      if (!decodeOutlines(stored).some((event) => isWithin(event.timestamp, filter))) return [];
      return await decodeEvents(stored, batch, positions);
    });
    if (events === null) unreadable += stored.event_count;
    for (const [index, event] of events?.entries() ?? []) {
      if (index < first || !matches(event, filter)) continue;
      const item = JSON.stringify(toItem(event, session, filter));
      bytes += Buffer.byteLength(item);
      if (items.length > 0 && (items.length >= limit || bytes > MAX_PAGE_BYTES))
        return { items, end: { batch, index }, unreadable };
      items.push(item);
    }
  }
  return { items, end: null, unreadable };
}

const isWithin = (timestamp: number, { from, to }: EventFilter) => timestamp >= from && timestamp <= to;

const matches = (event: TelemetryEvent, filter: EventFilter) =>
  isWithin(event.timestamp, filter) &&
  (filter.name === undefined || event.name === filter.name) &&
  (filter.player === undefined || readPlayer(event.data) === filter.player);

function toItem(
  { id, name, timestamp, data }: TelemetryEvent,
  { first_at }: SessionRow,
  { cited }: EventFilter,
): SessionEventItem {
  const offsetMs = timestamp - (first_at ?? timestamp);
  return { id, name, timestamp, offsetMs, data: data ?? null, cited: cited.has(id) };
}
