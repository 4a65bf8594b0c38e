/** Lists in time, sessions and insights: their extent, and their pages bucket by bucket. */
import type { PageRange } from "../../client/anchored-pages.ts";
import { ClientError } from "../../client/errors.ts";
import type { Page } from "../../contract/define.ts";
import { MAX_PAGE } from "../../contract/fields.ts";
import type { Game } from "../../contract/games.ts";
import { type Bucket, type By, bucketAt, countBuckets, type Span, startOf } from "../../shared/calendar.ts";
import type { Reader } from "../reader.ts";
import type { Extent, Part, Scope } from "./dataset.ts";

/** A list of the API that is narrowed by game and time, newest first. */
export interface ListSource<T> {
  fetch(reader: Reader, query: ListQuery): Promise<Page<T>>;
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
export function extentOf<T>({ fetch, timeOf }: ListSource<T>, keyOf: (item: T) => string = () => "") {
  return async (reader: Reader, game: Game, span: Partial<Span>, by: By): Promise<Extent | null> => {
    const at = (limit: number, offset: number) =>
      reader.ask(() => fetch(reader, { game: game.id, ...span, limit, offset }));
    const { items, total } = await at(MAX_PAGE, 0);
    const [newest] = items;
    if (newest === undefined && total === 0) return null;
    const end = total > items.length ? await at(1, total - 1) : { items };
    // Where items come and go meanwhile this is not the oldest: a plan alone reckons with it.
    const last = end.items.at(-1) ?? newest;
    if (newest === undefined || last === undefined)
      throw new ClientError("contract", `The service tells of ${total} items but sends none`);
    const [from, to] = [timeOf(newest), timeOf(last)].sort((a, b) => a - b) as [number, number];
    const starts = new Set(items.map((item) => startOf(timeOf(item), by))).size;
    const buckets = total > items.length ? Math.min(total, countBuckets({ from, to }, by)) : starts;
    const seen = new Set(items.map((item) => `${startOf(timeOf(item), by)}/${keyOf(item)}`)).size;
    const keys = new Set(items.map(keyOf)).size;
    const groups = Math.min(Math.ceil((total * seen) / items.length), buckets * keys);
    return { items: total, oldest: from, buckets, groups };
  };
}

/** The pages of a walk over so many items: each begins with the last item of the one before. */
export const pagesOf = (items: number): number => Math.ceil(items / (MAX_PAGE - 1));

/** About how many requests reading a list takes. */
export function listRequests({ environments, split }: Scope, extent: Extent | null): number {
  if (extent === null) return 0;
  const { items, groups } = extent;
  const pages = pagesOf(items);
  const runs = Math.max(1, environments.length);
  if (!split) return pages + runs - 1;
  return Math.min(pages, groups) + Math.max(pages, runs * groups);
}

/** The parts of a list: a bucket each, or all of it as one. */
export async function* listParts<T extends { readonly id: string }, Row>(
  reader: Reader,
  scope: Scope,
  source: ListSource<T>,
  environments: readonly (string | undefined)[],
  rowOf: (item: T, environment: string | undefined) => Row,
): AsyncGenerator<Part<Row>> {
  const { game, span, split } = scope;
  if (span === null) return;
  async function* rows({ from, to }: Span): AsyncGenerator<readonly Row[]> {
    for (const env of environments) {
      const query = { game: game.id, ...(env === undefined ? {} : { env }) };
      const fetchPage = (range: PageRange) => source.fetch(reader, { ...query, ...range });
      for await (const items of reader.pages({ fetchPage, timeOf: source.timeOf, from, to }))
        yield items.map((item) => rowOf(item, env));
    }
  }
  if (!split) return yield { bucket: null, rows: rows(span) };
  for (const bucket of await occupied(reader, scope, span, source)) yield { bucket, rows: rows(bucket) };
}

/**
 * The buckets of a span with something in them, the earliest first. Pages are read from the newest item on, each from
 * before the bucket that the last one ended in: no more than there are pages, and no more than there are such buckets.
 * Of a service that orders otherwise the whole list is gone through.
 */
async function occupied<T extends { readonly id: string }>(
  reader: Reader,
  { game, by }: Scope,
  span: Span,
  { fetch, timeOf }: ListSource<T>,
): Promise<Bucket[]> {
  const fetchPage = (range: PageRange) => fetch(reader, { game: game.id, ...range });
  const starts = new Set<number>();
  for (let { to } = span; to >= span.from; ) {
    const range = { from: span.from, to, limit: MAX_PAGE, offset: 0 };
    const { items, hasMore } = await reader.ask(() => fetchPage(range));
    const times = items.map(timeOf);
    const last = times.at(-1);
    const isOrdered = times.every((time, at) => time >= span.from && time <= (times[at - 1] ?? to));
    if (!isOrdered || (last === undefined && hasMore)) {
      for await (const all of reader.pages({ fetchPage, timeOf, ...span }))
        for (const item of all) starts.add(startOf(timeOf(item), by));
      break;
    }
    for (const time of times) starts.add(startOf(time, by));
    if (last === undefined || !hasMore) break;
    to = startOf(last, by) - 1;
  }
  return [...starts].sort((a, b) => a - b).map((start) => bucketAt(start, by, span));
}
