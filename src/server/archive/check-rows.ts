/** Checks rows of an archive before they are stored: the types of their values, the sizes of binary columns, and JSON. */
import type * as z from "zod";
import { nestsWithin } from "../../contract/telemetry.ts";
import { ServiceError } from "../core/errors.ts";
import { DamagedData } from "../core/stored-data.ts";
import type { Db, EventBatchRow, SessionRow } from "../db/schema.ts";
import type { BytesFormat, ColumnType } from "../db/tables/define.ts";
import { getTable, type TableName } from "../db/tables.ts";
import { BYTES_PER_POINT, BYTES_PER_Z } from "../positions/points.ts";
import { SessionPositions } from "../positions/session-positions.ts";
import { listDayCounts } from "../sessions/event-block.ts";
import { BlockReader, decodeEvents } from "../telemetry/batch-queries.ts";
import { type ArchiveRow, type ArchiveValue, readRows } from "./archive-queries.ts";

/** More levels of nested JSON than any request may have. Serializing JSON recurses. */
const MAX_NESTING = 200;

type GetValue = (column: string) => ArchiveValue;

/** How the values of each format are checked. Returns the fault, or null. */
const bytesChecks: Readonly<Record<BytesFormat, (get: GetValue, bytes: Uint8Array) => string | null>> = {
  // Events are decoded after the import (`check-events.ts`).
  events: () => null,
  points: findPointsFault,
  heights: findHeightsFault,
  counts: findCountsFault,
  numbers: (_get, { byteLength }) =>
    byteLength % 8 === 0 ? null : "the column vector has an incomplete number",
};

/**
 * Returns why a row cannot be imported, or null. Columns that the definition of the table does not have are those of an older
 * version, whose migrations drop them.
 */
export function findRowFault(table: TableName, columns: readonly string[], row: ArchiveRow): string | null {
  const get: GetValue = (column) => row[columns.indexOf(column)] ?? null;
  for (const column of columns) {
    const facts = getTable(table).columns[column]?.facts;
    const value = get(column);
    if (value === null || facts === undefined) continue;
    if (!hasType(value, facts.type)) return `the column ${column} is not of the type ${facts.type}`;
    const fault = facts.json && findJsonFault(String(value), facts.json);
    if (fault) return `the column ${column} ${fault}`;
  }
  // These checks read other columns of the row, which have been checked by now.
  for (const column of columns) {
    const format = getTable(table).columns[column]?.facts.format;
    const value = get(column);
    const fault = format && value instanceof Uint8Array ? bytesChecks[format](get, value) : null;
    if (fault) return fault;
  }
  return null;
}

function hasType(value: ArchiveValue, type: ColumnType): boolean {
  if (type === "bytes") return value instanceof Uint8Array;
  if (type === "text") return typeof value === "string";
  return type === "integer" ? Number.isSafeInteger(value) : typeof value === "number";
}

function findJsonFault(text: string, schema: z.ZodType): string | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return "is not valid JSON";
  }
  if (!nestsWithin(json, MAX_NESTING)) return `is nested more than ${MAX_NESTING} levels deep`;
  const { error } = schema.safeParse(json);
  const [issue] = error?.issues ?? [];
  return issue
    ? `is invalid${issue.path.length > 0 ? ` at ${issue.path.join(".")}` : ""}: ${issue.message}`
    : null;
}

/** Positions have two finite numbers each. */
function findPointsFault(get: GetValue, xy: Uint8Array): string | null {
  const points = Number(get("points"));
  if (points < 1 || xy.byteLength !== BYTES_PER_POINT * points)
    return `the column xy has ${xy.byteLength} bytes for ${points} points`;
  const view = new DataView(xy.buffer, xy.byteOffset, xy.byteLength);
  for (let at = 0; at < xy.byteLength; at += 8)
    if (!Number.isFinite(view.getFloat64(at, true)))
      return "the column xy has a coordinate that is not finite";
  const bounds = ["x_min", "x_max", "y_min", "y_max"].map((column) => Number(get(column)));
  return bounds.every(Number.isFinite) ? null : "the bounds of the positions are not finite";
}

/** Each position has a z, which is not a number for positions without one. */
function findHeightsFault(get: GetValue, z: Uint8Array): string | null {
  const points = Number(get("points"));
  if (z.byteLength !== BYTES_PER_Z * points)
    return `the column z has ${z.byteLength} bytes for ${points} points`;
  const view = new DataView(z.buffer, z.byteOffset, z.byteLength);
  for (let at = 0; at < z.byteLength; at += BYTES_PER_Z)
    if (Math.abs(view.getFloat64(at, true)) === Infinity)
      return "the column z has a coordinate that is not finite";
  const bounds = ["z_min", "z_max"].map((column) => get(column));
  return bounds.every((bound) => bound !== null && Number.isFinite(Number(bound)))
    ? null
    : "the bounds of z are not finite";
}

/** Counts of events have a place, which refers to a name, and a whole number. */
function findCountsFault(get: GetValue, counts: Uint8Array): string | null {
  const block = Number(get("block"));
  try {
    const found = listDayCounts({ block, names: String(get("names")), counts });
    return found.every(({ count }) => Number.isSafeInteger(count))
      ? null
      : "the column counts has a number that is not whole";
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error;
    return `the column counts is damaged: ${error.message}`;
  }
}

const sessionColumns = ["game_id", "id", "next_batch", "events_pruned_at"] as const;
const batchColumns = ["game_id", "session_id", "seq", "event_count", "payload"] as const;

/**
 * Decodes all events. Throws `unusable` with the table, the session and the batch of the first damaged batch. Sessions and
 * batches have the same order, so they are read side by side: a query for each session would take several times as long.
 */
export async function checkEvents(db: Db, source: string, signal: AbortSignal): Promise<void> {
  const batches = new RowStream(readRows(db, "event_batches", batchColumns));
  for await (const sessions of readRows(db, "sessions", sessionColumns)) {
    for (const session of sessions) {
      signal.throwIfAborted();
      await checkSession(db, source, session, batches);
    }
  }
  if (await batches.peek()) throw orphan(source);
}

/** Whether the batches of a session, in their order, are complete and can be decoded. */
export async function hasAllEvents(
  db: Db,
  { game_id, id, next_batch }: Pick<SessionRow, "game_id" | "id" | "next_batch">,
  batches: readonly Pick<EventBatchRow, "seq" | "event_count" | "payload">[],
): Promise<boolean> {
  const rows = batches.map(({ seq, event_count, payload }) => [game_id, id, seq, event_count, payload]);
  const pages = (async function* () {
    yield rows;
  })();
  const rest = new RowStream(pages);
  try {
    await checkSession(db, "", [game_id, id, next_batch, null], rest);
    return (await rest.peek()) === undefined;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

/** The rows of pages, one after another. */
class RowStream {
  readonly #pages: AsyncGenerator<ArchiveRow[]>;
  #page: readonly ArchiveRow[] = [];
  #next = 0;

  constructor(pages: AsyncGenerator<ArchiveRow[]>) {
    this.#pages = pages;
  }

  /** The next row, which is read again until `skip`; undefined at the end. */
  async peek(): Promise<ArchiveRow | undefined> {
    if (this.#next >= this.#page.length) {
      const { done, value } = await this.#pages.next();
      [this.#page, this.#next] = [done ? [] : value, 0];
    }
    return this.#page[this.#next];
  }

  skip(): void {
    this.#next += 1;
  }
}

/** Decodes the events of a session, whose batches are next. */
async function checkSession(
  db: Db,
  source: string,
  [game, id, expected, prunedAt]: ArchiveRow,
  batches: RowStream,
): Promise<void> {
  const [gameId, sessionId] = [String(game), String(id)];
  const positions = new SessionPositions(db, gameId, sessionId);
  const blocks = new BlockReader(db, gameId);
  let found = 0;
  const describe = (reason: string) =>
    `table event_batches, session ${JSON.stringify(sessionId)} of game ${JSON.stringify(gameId)}, batch ${found}: ${reason}`;
  for (let row = await batches.peek(); row; row = await batches.peek()) {
    const order = compareBytes(row[0], gameId) || compareBytes(row[1], sessionId);
    if (order < 0) throw orphan(source);
    if (order > 0) break;
    if (prunedAt === null) {
      if (row[2] !== found) break;
      const stored = {
        session_id: sessionId,
        seq: found,
        event_count: Number(row[3]),
        payload: row[4] as Uint8Array,
      };
      const [batch = stored] = await blocks.unpack([stored]);
      await decodeEvents(batch, found, positions).catch((cause: unknown) => {
        throw cause instanceof DamagedData ? undecodable(source, describe(cause.message), cause) : cause;
      });
    }
    found += 1;
    batches.skip();
  }
  if (prunedAt === null && found !== expected)
    throw undecodable(source, describe(`the session has ${expected} batches`));
}

/** Compares texts by their bytes, like both database engines. */
const compareBytes = (a: unknown, b: string) => Buffer.compare(Buffer.from(String(a)), Buffer.from(b));

const orphan = (source: string) =>
  undecodable(source, "table event_batches has rows that belong to no session");

function undecodable(source: string, details: string, cause?: unknown): ServiceError {
  return new ServiceError("unusable", {
    message: `${source} contains data that cannot be decoded: ${details}`,
    hint: "Nothing was imported. Delete these rows from the original database, and export it again.",
    cause,
  });
}
