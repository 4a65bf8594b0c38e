/** Reads pages of the live tail from the log of arrivals and the stored batches. */
import { isWarning } from "../../contract/refusals.ts";
import type { Arrival } from "../../contract/telemetry-tail.ts";
import { TAIL_LIMITS } from "../../contract/telemetry-tail.ts";
import { decodeCursor, encodeCursor } from "../core/responses.ts";
import { skipDamaged } from "../core/stored-data.ts";
import type { ArrivalRow, Db } from "../db/schema.ts";
import { SessionPositions } from "../positions/session-positions.ts";
import type { Refusal } from "./arrival-log.ts";
import { findArrivals, findNewestArrival, findTailSession, type TailSession } from "./arrival-queries.ts";
import { decodeEvents, readBatch } from "./batch-queries.ts";
import type { TelemetryEvent } from "./event-names.ts";

/** A place in the log: an arrival, the number of its entries before the place, and the entries of the log up to it. */
export interface TailPosition {
  readonly id: number;
  readonly index: number;
  /** Null if it is unknown which entries came before. */
  readonly total: number | null;
}

export interface TailFilter {
  readonly gameId: string | undefined;
  readonly device: string | undefined;
  readonly event: string | undefined;
  readonly kind: "event" | "refusal" | "warning" | undefined;
}

export interface TailRead {
  readonly items: readonly Arrival[];
  readonly next: TailPosition;
  readonly missed: number;
}

/** Arrivals that are read at once. */
const ROWS_PER_READ = 50;
/** A page ends after this many bytes of JSON. An event that alone is larger is still sent. */
const MAX_PAGE_BYTES = 1024 * 1024;

/** The position before everything that is kept. */
export const TAIL_START: TailPosition = { id: 0, index: 0, total: null };

/** The position after everything that has arrived so far. */
export async function findTailEnd(db: Db, accountId: string): Promise<TailPosition> {
  const newest = await findNewestArrival(db, accountId);
  return newest
    ? { id: newest.id, index: newest.entries, total: newest.total }
    : { id: 0, index: 0, total: 0 };
}

export function encodePosition({ id, index, total }: TailPosition): string {
  return encodeCursor(total === null ? [id, index] : [id, index, total]);
}

/** Decodes a position; null if the text is not one. */
export function decodePosition(cursor: string): TailPosition | null {
  const [id = 0, index = 0, total = null] = decodeCursor(cursor, 3) ?? decodeCursor(cursor, 2) ?? [];
  return id === 0 && index === 0 && total === null && cursor !== encodePosition(TAIL_START)
    ? null
    : { id, index, total };
}

/** Reads what came after a position, up to `limit` items. `now` is unix ms. */
export async function readTail(
  db: Db,
  accountId: string,
  { after, filter, limit, now }: { after: TailPosition; filter: TailFilter; limit: number; now: number },
): Promise<TailRead> {
  const since = now - TAIL_LIMITS.ms;
  const rows = await findArrivals(db, accountId, { from: after.id, since, limit: ROWS_PER_READ });
  const items: Arrival[] = [];
  let missed = 0;
  let next = after;
  let bytes = 0;
  for (const row of rows) {
    const before = row.total - row.entries;
    const first = row.id === next.id ? next.index : 0;
    if (row.id > next.id && next.total !== null) missed += Math.max(0, before - next.total);
    const listed = await listEntries(db, row, filter);
    if (listed === null) missed += row.entries - first;
    for (const { index, entry } of listed ?? []) {
      if (index < first) continue;
      const position = { id: row.id, index: index + 1, total: before + index + 1 };
      const item = { ...entry, cursor: encodePosition(position) };
      bytes += Buffer.byteLength(JSON.stringify(item));
      if (items.length > 0 && (items.length >= limit || bytes > MAX_PAGE_BYTES))
        return { items, next, missed };
      items.push(item);
      next = position;
    }
    next = { id: row.id, index: row.entries, total: row.total };
  }
  return { items, next, missed };
}

type Entry = Omit<Arrival, "cursor">;

/** The entries of an arrival that match, with their indexes; null if they were only counted, were removed or are damaged. */
async function listEntries(
  db: Db,
  row: ArrivalRow,
  filter: TailFilter,
): Promise<{ index: number; entry: Entry }[] | null> {
  if (filter.gameId !== undefined && row.game_id !== null && row.game_id !== filter.gameId) return [];
  if (row.refusals !== null) return filter.kind === "event" ? [] : listRefusals(row, row.refusals, filter);
  if (row.game_id === null || row.session_id === null || row.seq === null) return null;
  if (filter.kind !== undefined && filter.kind !== "event") return [];
  const session = await findTailSession(db, row.game_id, row.session_id);
  if (!session || (filter.device !== undefined && session.device_id !== filter.device)) return [];
  const events = await readEvents(db, session, row.seq);
  if (events === null) return null;
  return events.flatMap((event, index) =>
    filter.event === undefined || event.name === filter.event
      ? [{ index, entry: toEventEntry(row, session, event) }]
      : [],
  );
}

/** Refusals that name no device or event match every device and event: nobody knows whose they are. */
function listRefusals(row: ArrivalRow, json: string, { device, event, kind }: TailFilter) {
  return (JSON.parse(json) as Refusal[]).flatMap((refusal, index) => {
    const isOther =
      (kind !== undefined && kind !== getKind(refusal)) ||
      (device !== undefined && refusal.deviceId !== null && refusal.deviceId !== device) ||
      (event !== undefined && refusal.name !== null && refusal.name !== event);
    return isOther ? [] : [{ index, entry: toRefusalEntry(row, refusal) }];
  });
}

/**
 * The events of a batch; null if pruning has removed them, or if they are damaged, because one batch must not stop the
 * tail of all games.
 */
async function readEvents(
  db: Db,
  { game_id, id }: TailSession,
  seq: number,
): Promise<TelemetryEvent[] | null> {
  const stored = await readBatch(db, game_id, id, seq);
  if (!stored) return null;
  return await skipDamaged(() => decodeEvents(stored, seq, new SessionPositions(db, game_id, id)));
}

function toEventEntry(row: ArrivalRow, session: TailSession, event: TelemetryEvent): Entry {
  const { id, name, timestamp, data } = event;
  return {
    kind: "event",
    receivedAt: row.at,
    gameId: row.game_id,
    sessionId: session.id,
    deviceId: session.device_id,
    environment: session.environment,
    build: session.build,
    event: { id, name, timestamp, data: data ?? null },
    refusal: null,
  };
}

const getKind = ({ reason }: Refusal) => (isWarning(reason) ? "warning" : "refusal");

function toRefusalEntry(row: ArrivalRow, refusal: Refusal): Entry {
  const { sessionId, deviceId, ...rest } = refusal;
  return {
    kind: getKind(refusal),
    receivedAt: row.at,
    gameId: row.game_id,
    sessionId,
    deviceId,
    environment: null,
    build: null,
    event: null,
    refusal: rest,
  };
}
