/** Datasets from lists with times, such as sessions: their extent, and their rows by bucket. */

import { ClientError } from "../../client/errors.ts";
import type { PageRange } from "../../client/overlapping-pages.ts";
import type { Page } from "../../contract/define.ts";
import { MAX_PAGE_SIZE } from "../../contract/fields.ts";
import type { Game } from "../../contract/games.ts";
import {
  type Bucket,
  type BucketWidth,
  bucketAt,
  countBuckets,
  findBucketStart,
  type TimeSpan,
} from "../../shared/calendar.ts";
import type { ExportReader } from "../reader.ts";
import { ALL_TIME } from "../time-ranges.ts";
import {
  type DatasetExtent,
  type ExportPart,
  type ExportScope,
  type ItemCounter,
  toEnvironmentFilters,
  yieldOnce,
} from "./dataset.ts";

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
  readonly env?: string;
}

/**
 * Reads the newest page of a list from a time on. It usually shows that nothing is later than the range to export, and is
 * then the first page of that range too.
 */
export async function readNewestPage<T>(
  reader: ExportReader,
  { name, fetch, getTime }: ListSource<T>,
  game: Game,
  { from, to = Number.POSITIVE_INFINITY }: Partial<TimeSpan>,
): Promise<{ readonly page: Page<T>; readonly mayHaveLater: boolean }> {
  const query = { game: game.id, ...(from === undefined ? {} : { from }), limit: MAX_PAGE_SIZE, offset: 0 };
  const page = await reader.sendOnce(JSON.stringify([name, query]), () => fetch(reader, query));
  const times = page.items.map(getTime);
  const isWhole = page.total === times.length;
  const isOrdered = times.length > 0 && times.every((time, index) => time <= (times[index - 1] ?? time));
  return { page, mayHaveLater: !(isWhole || isOrdered) || times.some((time) => time > to) };
}

/**
 * Creates a function that reads the size of a list in a time range with one to three requests. It estimates the number
 * of buckets from the newest page, which is exact if there is only one page. `getKey` groups items that are requested
 * separately, such as by build. Throws `contract` if the service reports items but returns none.
 */
export function createExtentReader<T>(source: ListSource<T>, getKey: (item: T) => string = () => "") {
  const { name, fetch, getTime } = source;
  return async (
    reader: ExportReader,
    game: Game,
    span: Partial<TimeSpan>,
    by: BucketWidth,
  ): Promise<DatasetExtent | null> => {
    const readPage = (limit: number, offset: number) => {
      const query = { game: game.id, ...span, limit, offset };
      return reader.sendOnce(JSON.stringify([name, query]), () => fetch(reader, query));
    };
    const { page, mayHaveLater } = await readNewestPage(reader, source, game, span);
    const { items, total } = mayHaveLater ? await readPage(MAX_PAGE_SIZE, 0) : page;
    const [newest] = items;
    if (newest === undefined && total === 0) return null;
    const end = total > items.length ? await readPage(1, total - 1) : { items };
    // If items arrive or are deleted meanwhile, this may not be the oldest item. It is only used for estimates.
    const last = end.items.at(-1) ?? newest;
    if (newest === undefined || last === undefined)
      throw new ClientError("contract", `The service reports ${total} items but returns none`);
    const [from, to] = [getTime(newest), getTime(last)].sort((a, b) => a - b) as [number, number];
    const starts = new Set(items.map((item) => findBucketStart(getTime(item), by))).size;
    const buckets = total > items.length ? Math.min(total, countBuckets({ from, to }, by)) : starts;
    const seen = new Set(items.map((item) => `${findBucketStart(getTime(item), by)}/${getKey(item)}`)).size;
    const keys = new Set(items.map(getKey)).size;
    const groups = Math.min(Math.ceil((total * seen) / items.length), buckets * keys);
    return { items: total, oldest: from, buckets, groups };
  };
}

/** Creates a counter of the items in a time range, with one request per environment. */
export function createCounter<T>(
  source: ListSource<T>,
  itemName: string,
  { hasEnvironments = true }: { readonly hasEnvironments?: boolean } = {},
): ItemCounter {
  const { name, fetch } = source;
  return {
    itemName,
    async mayHaveLater(reader, { game }, span) {
      return (await readNewestPage(reader, source, game, span)).mayHaveLater;
    },
    async count(reader, scope, span) {
      let count = 0;
      for (const env of hasEnvironments ? toEnvironmentFilters(scope) : [undefined]) {
        const filter = { game: scope.game.id, ...(env === undefined ? {} : { env }), ...span };
        const query = { ...filter, limit: 1, offset: 0 };
        const { total } = await reader.sendOnce(JSON.stringify([name, query]), () => fetch(reader, query));
        count += total;
      }
      return count;
    },
  };
}

/** The number of pages of a list. Each page repeats the last item of the previous one. */
export const countPages = (items: number): number => Math.ceil(items / (MAX_PAGE_SIZE - 1));

/** A list of at most this many items is read as a whole, instead of one hour, day or week after the other. */
export const MAX_BUFFERED_ITEMS = 5000;

/** Estimates the requests for reading a list. */
export function estimateListRequests(
  { environments, split }: ExportScope,
  extent: DatasetExtent | null,
): number {
  if (extent === null) return 0;
  const { items, groups } = extent;
  const pages = countPages(items);
  const runs = Math.max(1, environments.length);
  if (!split) return pages + runs - 1;
  if (items <= MAX_BUFFERED_ITEMS) return pages + runs - 1;
  return Math.min(pages, groups) + Math.max(pages, runs * groups);
}

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
      const query = { game: game.id, ...(env === undefined ? {} : { env }) };
      const fetchPage = (range: PageRange) => source.fetch(reader, { ...query, ...range });
      for await (const items of reader.pages({ fetchPage, getTime: source.getTime, from, to }))
        yield items.flatMap((item) => toRows(item, env));
    }
  }
  if (!split) return yield { bucket: null, rows: rows(span) };
  if (scope.partitions !== undefined) {
    for (const start of scope.partitions) {
      const bucket = bucketAt(start, scope.by, ALL_TIME);
      yield { bucket, rows: rows(bucket) };
    }
    return;
  }
  if (items <= MAX_BUFFERED_ITEMS)
    return yield* groupByBucket(reader, scope, span, { source, environments, toRows });
  for (const bucket of await findNonEmptyBuckets(reader, scope, span, source))
    yield { bucket, rows: rows(bucket) };
}

interface ListRows<T, Row> {
  readonly source: ListSource<T>;
  readonly environments: readonly (string | undefined)[];
  readonly toRows: (item: T, environment: string | undefined) => readonly Row[];
}

/** Reads the whole list of a span, and groups it by bucket, earliest first. */
async function* groupByBucket<T extends { readonly id: string }, Row>(
  reader: ExportReader,
  { game, by }: ExportScope,
  span: TimeSpan,
  { source, environments, toRows }: ListRows<T, Row>,
): AsyncGenerator<ExportPart<Row>> {
  const rowsByStart = new Map<number, Row[]>();
  for (const env of environments) {
    const query = { game: game.id, ...(env === undefined ? {} : { env }) };
    const fetchPage = (range: PageRange) => source.fetch(reader, { ...query, ...range });
    for await (const items of reader.pages({ fetchPage, getTime: source.getTime, ...span })) {
      for (const item of items) {
        const start = findBucketStart(source.getTime(item), by);
        const rows = rowsByStart.get(start) ?? [];
        rowsByStart.set(start, rows);
        rows.push(...toRows(item, env));
      }
    }
  }
  for (const [start, rows] of [...rowsByStart].sort(([a], [b]) => a - b))
    yield { bucket: bucketAt(start, by, span), rows: yieldOnce(rows) };
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
