/** A paged list that changes between requests, and a function that reads it. */
import type { PageRange } from "../../src/client/overlapping-pages.ts";
import { paginateByTime, type TimePaginationOptions } from "../../src/client/time-pagination.ts";
import type { Page } from "../../src/contract/define.ts";

export interface Entry {
  readonly id: string;
  readonly time: number;
}

export type Order = (a: Entry, b: Entry) => number;

const byId: Order = (a, b) => (a.id < b.id ? -1 : 1);
export const newestFirst: Order = (a, b) => b.time - a.time || byId(a, b);
export const oldestFirst: Order = (a, b) => a.time - b.time || byId(a, b);

/** A pacer that never waits. */
export const unpaced = { before: async () => {} };

export interface ChangingList {
  readonly entries: readonly Entry[];
  readonly order?: Order;
  /** The maximum page size of the service. */
  readonly cap?: number;
  /** Returns the entries after a request. The first request has number 1. */
  change?(entries: readonly Entry[], request: number): readonly Entry[];
  /** Changes a response, to simulate a faulty service. */
  lie?(page: Page<Entry>, range: PageRange): Page<Entry>;
}

export interface Walked {
  readonly ids: string[];
  readonly ranges: PageRange[];
  /** The number of requests before the fallback to offsets, and its reason. */
  readonly fallbacks: { readonly reason: string; readonly at: number }[];
  /** The entries at the end. */
  readonly entries: readonly Entry[];
  /** The error that ended it; undefined for none. */
  readonly fault: unknown;
}

/** Reads a list to its end or to an error. */
export async function walked(
  list: ChangingList,
  overrides: Partial<TimePaginationOptions<Entry>> = {},
): Promise<Walked> {
  const { order = newestFirst, cap = 100 } = list;
  let entries = list.entries;
  const ids: string[] = [];
  const ranges: PageRange[] = [];
  const fallbacks: Walked["fallbacks"] = [];
  let fault: unknown;
  const fetchPage = async (range: PageRange): Promise<Page<Entry>> => {
    ranges.push(range);
    const { from = 0, to = Number.POSITIVE_INFINITY, offset, limit } = range;
    const all = entries.filter(({ time }) => time >= from && time <= to).sort(order);
    const items = all.slice(offset, offset + Math.min(limit, cap));
    const page = { items, total: all.length, hasMore: offset + items.length < all.length };
    entries = list.change?.(entries, ranges.length) ?? entries;
    return list.lie?.(page, range) ?? page;
  };
  const options: TimePaginationOptions<Entry> = {
    fetchPage,
    getTime: ({ time }) => time,
    getId: ({ id }) => id,
    pacer: unpaced,
    onFallback: (reason) => void fallbacks.push({ reason, at: ranges.length }),
    ...overrides,
  };
  try {
    for await (const items of paginateByTime(options)) ids.push(...items.map(({ id }) => id));
  } catch (error) {
    fault = error;
  }
  return { ids, ranges, fallbacks, entries, fault };
}

/** Creates entries; every `each` consecutive entries share a time. */
export const entriesOf = (count: number, each = 1): Entry[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `e${String(count - at).padStart(6, "0")}`,
    time: 1000 + Math.floor((count - at) / each),
  }));
