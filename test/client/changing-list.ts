/** A list behind an interface of pages that changes between requests, for walks; and the walk over it. */
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

/** A pacer that lets everything through. */
export const unpaced = { before: async () => {} };

export interface ChangingList {
  readonly entries: readonly Entry[];
  readonly order?: Order;
  /** The service's own most; a walk may ask for more. */
  readonly cap?: number;
  /** The entries after a request, given those before it; the first is number 1. */
  change?(entries: readonly Entry[], request: number): readonly Entry[];
  /** What a lying service makes of an answer. */
  lie?(page: Page<Entry>, range: PageRange): Page<Entry>;
}

export interface Walked {
  readonly ids: string[];
  readonly ranges: PageRange[];
  /** The requests that had been made when the walk fell back, and why. */
  readonly fallbacks: { readonly reason: string; readonly at: number }[];
  /** What is left in the list at the end. */
  readonly entries: readonly Entry[];
  /** The message that ended it. */
  readonly fault: unknown;
}

/** Walks a list to its end, or to the error that ends the walk. */
export async function walked(
  list: ChangingList,
  more: Partial<TimePaginationOptions<Entry>> = {},
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
  const walk: TimePaginationOptions<Entry> = {
    fetchPage,
    timeOf: ({ time }) => time,
    idOf: ({ id }) => id,
    pacer: unpaced,
    onFallback: (reason) => void fallbacks.push({ reason, at: ranges.length }),
    ...more,
  };
  try {
    for await (const { items } of paginateByTime(walk)) ids.push(...items.map(({ id }) => id));
  } catch (error) {
    fault = error;
  }
  return { ids, ranges, fallbacks, entries, fault };
}

/** So many entries, a new time every `each`. */
export const entriesOf = (count: number, each = 1): Entry[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `e${String(count - at).padStart(6, "0")}`,
    time: 1000 + Math.floor((count - at) / each),
  }));
