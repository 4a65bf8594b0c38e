/** Lists in time, sessions and insights: their extent, and their pages bucket by bucket. */

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
import type { DatasetExtent, ExportPart, ExportScope } from "./dataset.ts";

/** A list of the API that is narrowed by game and time, newest first. */
export interface ListSource<T> {
  fetch(reader: ExportReader, query: ListQuery): Promise<Page<T>>;
  /** Unix ms. */
  timeOf(item: T): number;
}

export interface ListQuery extends PageRange {
  /** Id. */
  readonly game: string;
  readonly env?: string;
}

/**
 * What a list holds between two times, in one or two requests: the newest page tells how it is spread, in all where it
 * is the only one. `keyOf` tells apart what is asked for by itself. Throws `contract` where items are told and not sent.
 */
export function createExtentReader<T>(
  { fetch, timeOf }: ListSource<T>,
  keyOf: (item: T) => string = () => "",
) {
  return async (
    reader: ExportReader,
    game: Game,
    span: Partial<TimeSpan>,
    by: BucketWidth,
  ): Promise<DatasetExtent | null> => {
    const at = (limit: number, offset: number) =>
      reader.send(() => fetch(reader, { game: game.id, ...span, limit, offset }));
    const { items, total } = await at(MAX_PAGE_SIZE, 0);
    const [newest] = items;
    if (newest === undefined && total === 0) return null;
    const end = total > items.length ? await at(1, total - 1) : { items };
    // Where items come and go meanwhile this is not the oldest: a plan alone reckons with it.
    const last = end.items.at(-1) ?? newest;
    if (newest === undefined || last === undefined)
      throw new ClientError("contract", `The service tells of ${total} items but sends none`);
    const [from, to] = [timeOf(newest), timeOf(last)].sort((a, b) => a - b) as [number, number];
    const starts = new Set(items.map((item) => findBucketStart(timeOf(item), by))).size;
    const buckets = total > items.length ? Math.min(total, countBuckets({ from, to }, by)) : starts;
    const seen = new Set(items.map((item) => `${findBucketStart(timeOf(item), by)}/${keyOf(item)}`)).size;
    const keys = new Set(items.map(keyOf)).size;
    const groups = Math.min(Math.ceil((total * seen) / items.length), buckets * keys);
    return { items: total, oldest: from, buckets, groups };
  };
}

/** The pages of a walk over so many items: each begins with the last item of the one before. */
export const countPages = (items: number): number => Math.ceil(items / (MAX_PAGE_SIZE - 1));

/** About how many requests reading a list takes. */
export function estimateListRequests(
  { environments, split }: ExportScope,
  extent: DatasetExtent | null,
): number {
  if (extent === null) return 0;
  const { items, groups } = extent;
  const pages = countPages(items);
  const runs = Math.max(1, environments.length);
  if (!split) return pages + runs - 1;
  return Math.min(pages, groups) + Math.max(pages, runs * groups);
}

/** The parts of a list: a bucket each, or all of it as one. */
export async function* readListParts<T extends { readonly id: string }, Row>(
  reader: ExportReader,
  scope: ExportScope,
  source: ListSource<T>,
  environments: readonly (string | undefined)[],
  rowOf: (item: T, environment: string | undefined) => Row,
): AsyncGenerator<ExportPart<Row>> {
  const { game, span, split } = scope;
  if (span === null) return;
  async function* rows({ from, to }: TimeSpan): AsyncGenerator<readonly Row[]> {
    for (const env of environments) {
      const query = { game: game.id, ...(env === undefined ? {} : { env }) };
      const fetchPage = (range: PageRange) => source.fetch(reader, { ...query, ...range });
      for await (const items of reader.pages({ fetchPage, timeOf: source.timeOf, from, to }))
        yield items.map((item) => rowOf(item, env));
    }
  }
  if (!split) return yield { bucket: null, rows: rows(span) };
  for (const bucket of await findNonEmptyBuckets(reader, scope, span, source))
    yield { bucket, rows: rows(bucket) };
}

/**
 * The buckets of a span with something in them, the earliest first. Pages are read from the newest item on, each from
 * before the bucket that the last one ended in: no more than there are pages, and no more than there are such buckets.
 * Of a service that orders otherwise the whole list is gone through.
 */
async function findNonEmptyBuckets<T extends { readonly id: string }>(
  reader: ExportReader,
  { game, by }: ExportScope,
  span: TimeSpan,
  { fetch, timeOf }: ListSource<T>,
): Promise<Bucket[]> {
  const fetchPage = (range: PageRange) => fetch(reader, { game: game.id, ...range });
  const starts = new Set<number>();
  for (let { to } = span; to >= span.from; ) {
    const range = { from: span.from, to, limit: MAX_PAGE_SIZE, offset: 0 };
    const { items, hasMore } = await reader.send(() => fetchPage(range));
    const times = items.map(timeOf);
    const last = times.at(-1);
    const isOrdered = times.every((time, at) => time >= span.from && time <= (times[at - 1] ?? to));
    if (!isOrdered || (last === undefined && hasMore)) {
      for await (const all of reader.pages({ fetchPage, timeOf, ...span }))
        for (const item of all) starts.add(findBucketStart(timeOf(item), by));
      break;
    }
    for (const time of times) starts.add(findBucketStart(time, by));
    if (last === undefined || !hasMore) break;
    to = findBucketStart(last, by) - 1;
  }
  return [...starts].sort((a, b) => a - b).map((start) => bucketAt(start, by, span));
}
