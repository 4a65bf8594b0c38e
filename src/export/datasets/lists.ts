/** Lists in time, sessions and insights: their extent, and their pages bucket by bucket. */
import type { PageRange } from "../../client/anchored-pages.ts";
import type { Page } from "../../contract/define.ts";
import { MAX_PAGE } from "../../contract/fields.ts";
import type { Game } from "../../contract/games.ts";
import { type Bucket, type By, bucketsOf, countBuckets, halves, type Span } from "../buckets.ts";
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

/** Up to so many buckets are asked for one by one; whether there is anything in more is asked first. */
const STRETCH = 8;

/** What a list holds between two times: how much, and its oldest item, a request each. */
export function extentOf<T>({ fetch, timeOf }: ListSource<T>) {
  return async (reader: Reader, game: Game, span: Partial<Span>): Promise<Extent | null> => {
    const query = { game: game.id, ...span };
    const at = (offset: number) => reader.ask(() => fetch(reader, { ...query, limit: 1, offset }));
    const first = await at(0);
    const [newest] = first.items;
    if (newest === undefined) return null;
    const { items } = first.total > 1 && span.from === undefined ? await at(first.total - 1) : first;
    return { items: first.total, oldest: timeOf(items[0] ?? newest) };
  };
}

/** About how many requests reading so many items takes. */
export function listRequests({ span, by, split, environments }: Scope, items: number): number {
  if (span === null) return 0;
  const pages = Math.ceil(items / MAX_PAGE);
  const runs = Math.max(1, environments.length);
  return split ? pages + runs * Math.min(items, countBuckets(span, by)) : Math.max(runs, pages);
}

/** The parts of a list: a bucket each, or all of it as one. */
export async function* listParts<T extends { readonly id: string }, Row>(
  reader: Reader,
  scope: Scope,
  source: ListSource<T>,
  environments: readonly (string | undefined)[],
  rowOf: (item: T, environment: string | undefined) => Row,
): AsyncGenerator<Part<Row>> {
  const { game, span, by, split } = scope;
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
  const isEmpty = async ({ from, to }: Span) => {
    const query = { game: game.id, from, to, limit: 1, offset: 0 };
    const page = await reader.ask(() => source.fetch(reader, query));
    return page.items.length === 0;
  };
  for await (const bucket of occupied(span, by, isEmpty)) yield { bucket, rows: rows(bucket) };
}

/** The buckets of a span, the earliest first, without long stretches in which there is nothing. */
async function* occupied(
  span: Span,
  by: By,
  isEmpty: (span: Span) => Promise<boolean>,
): AsyncGenerator<Bucket> {
  const parts = countBuckets(span, by) > STRETCH ? halves(span, by) : null;
  if (parts === null) return yield* bucketsOf(span, by);
  if (await isEmpty(span)) return;
  for (const half of parts) yield* occupied(half, by, isEmpty);
}
