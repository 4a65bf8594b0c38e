/** Datasets from lists with times, such as sessions: their rows by bucket. */
import type { PageRange } from "../../client/overlapping-pages.ts";
import type { Page } from "../../contract/define.ts";
import { MAX_PAGE_SIZE } from "../../contract/fields.ts";
import type { Session } from "../../contract/sessions.ts";
import { type Bucket, bucketAt, findBucketStart, type TimeSpan } from "../../shared/calendar.ts";
import type { ExportReader } from "../reader.ts";
import { ALL_TIME } from "../state.ts";
import { type ExportPart, type ExportScope, yieldOnce } from "./dataset.ts";

/** A list of the API, filtered by game and time, newest first. */
export interface ListSource<T> {
  /** Such as `sessions`. */
  readonly name: string;
  fetch(reader: ExportReader, query: ListQuery): Promise<Page<T>>;
  /** Unix ms. */
  getTime(item: T): number;
}

export interface ListQuery extends PageRange {
  /** Game id. */
  readonly game: string;
  readonly env?: string | undefined;
}

/** Reads a page of a list once. Several datasets are planned from the same lists. */
export const fetchOnce = <T>(
  reader: ExportReader,
  { name, fetch }: Pick<ListSource<T>, "name" | "fetch">,
  query: ListQuery,
): Promise<Page<T>> => reader.sendOnce(JSON.stringify([name, query]), () => fetch(reader, query));

/** The sessions. Events are counted by sessions too. */
export const sessionList: ListSource<Session> = {
  name: "sessions",
  fetch: ({ client }, query) => client.listSessions(query),
  getTime: ({ recordedAt }) => recordedAt,
};

/** The number of pages of a list. Each page repeats the last item of the previous one. */
export const countPages = (items: number): number => Math.ceil(items / (MAX_PAGE_SIZE - 1));

/** A list of at most this many items is read as a whole, instead of one hour, day or week after the other. */
export const MAX_BUFFERED_ITEMS = 5000;

/** The parts of a list: one per bucket, or a single one. */
export async function* readListParts<T extends { readonly id: string }, Row>(
  reader: ExportReader,
  scope: ExportScope,
  source: ListSource<T>,
  environments: readonly (string | undefined)[],
  toRows: (item: T, environment: string | undefined) => readonly Row[],
): AsyncGenerator<ExportPart<Row>> {
  const { game, span, split, items = Number.POSITIVE_INFINITY } = scope;
  if (span === null) return;
  async function* rows({ from, to }: TimeSpan): AsyncGenerator<readonly Row[]> {
    for (const env of environments) {
      const fetchPage = (range: PageRange) => source.fetch(reader, { game: game.id, env, ...range });
      for await (const items of reader.pages({ fetchPage, getTime: source.getTime, from, to }))
        yield items.flatMap((item) => toRows(item, env));
    }
  }
  if (!split) return yield { bucket: null, rows: rows(span) };
  const list = { source, environments, toRows };
  if (scope.partitions !== undefined)
    return yield* readPartitions(reader, scope, scope.partitions, { ...list, rows });
  if (items <= MAX_BUFFERED_ITEMS) {
    for (const [start, found] of await groupByBucket(reader, scope, span, list))
      yield { bucket: bucketAt(start, scope.by, span), rows: yieldOnce(found) };
    return;
  }
  for (const bucket of await findNonEmptyBuckets(reader, scope, span, source))
    yield { bucket, rows: rows(bucket) };
}

interface ListRows<T, Row> {
  readonly source: ListSource<T>;
  readonly environments: readonly (string | undefined)[];
  readonly toRows: (item: T, environment: string | undefined) => readonly Row[];
}

/** Reads the whole list of a span, and groups it by the start of its bucket, earliest first. */
async function groupByBucket<T extends { readonly id: string }, Row>(
  reader: ExportReader,
  { game, by }: ExportScope,
  span: TimeSpan,
  { source, environments, toRows }: ListRows<T, Row>,
): Promise<Map<number, Row[]>> {
  const rowsByStart = new Map<number, Row[]>();
  for (const env of environments) {
    const fetchPage = (range: PageRange) => source.fetch(reader, { game: game.id, env, ...range });
    for await (const items of reader.pages({ fetchPage, getTime: source.getTime, ...span })) {
      for (const item of items) {
        const start = findBucketStart(source.getTime(item), by);
        const rows = rowsByStart.get(start) ?? [];
        rowsByStart.set(start, rows);
        rows.push(...toRows(item, env));
      }
    }
  }
  return new Map([...rowsByStart].sort(([a], [b]) => a - b));
}

/** So few buckets are read one after the other, without counting their items first. */
const MAX_SINGLE_BUCKETS = 3;

/** The buckets that start at these times, also if they have no rows. Read together where that takes fewer requests. */
async function* readPartitions<T extends { readonly id: string }, Row>(
  reader: ExportReader,
  scope: ExportScope,
  starts: readonly number[],
  list: ListRows<T, Row> & { rows(span: TimeSpan): AsyncGenerator<readonly Row[]> },
): AsyncGenerator<ExportPart<Row>> {
  const buckets = starts.map((start) => bucketAt(start, scope.by, ALL_TIME));
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined) return;
  if (buckets.length <= MAX_SINGLE_BUCKETS) {
    for (const bucket of buckets) yield { bucket, rows: list.rows(bucket) };
    return;
  }
  const span = { from: first.start, to: last.end - 1 };
  const query = { game: scope.game.id, ...span, limit: 1, offset: 0 };
  const { total } = await reader.send(() => list.source.fetch(reader, query));
  if (total <= MAX_BUFFERED_ITEMS && countPages(total) <= buckets.length) {
    const found = await groupByBucket(reader, scope, span, list);
    for (const bucket of buckets) yield { bucket, rows: yieldOnce(found.get(bucket.start) ?? []) };
    return;
  }
  const middle = Math.ceil(starts.length / 2);
  yield* readPartitions(reader, scope, starts.slice(0, middle), list);
  yield* readPartitions(reader, scope, starts.slice(middle), list);
}

/**
 * Finds the buckets of a span that have items, earliest first. After each page, continues before the bucket of its last
 * item, so the number of requests is at most the number of pages and at most the number of these buckets. Reads the
 * whole list if the service does not sort it newest first.
 */
async function findNonEmptyBuckets<T extends { readonly id: string }>(
  reader: ExportReader,
  { game, by }: ExportScope,
  span: TimeSpan,
  { fetch, getTime }: ListSource<T>,
): Promise<Bucket[]> {
  const fetchPage = (range: PageRange) => fetch(reader, { game: game.id, ...range });
  const starts = new Set<number>();
  for (let { to } = span; to >= span.from; ) {
    const range = { from: span.from, to, limit: MAX_PAGE_SIZE, offset: 0 };
    const { items, hasMore } = await reader.send(() => fetchPage(range));
    const times = items.map(getTime);
    const last = times.at(-1);
    const isOrdered = times.every((time, index) => time >= span.from && time <= (times[index - 1] ?? to));
    if (!isOrdered || (last === undefined && hasMore)) {
      for await (const page of reader.pages({ fetchPage, getTime, ...span }))
        for (const item of page) starts.add(findBucketStart(getTime(item), by));
      break;
    }
    for (const time of times) starts.add(findBucketStart(time, by));
    if (last === undefined || !hasMore) break;
    to = findBucketStart(last, by) - 1;
  }
  return [...starts].sort((a, b) => a - b).map((start) => bucketAt(start, by, span));
}
