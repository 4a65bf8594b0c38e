/** Reads a whole newest-first list by moving the upper limit on times, because large offsets are slow. */
import { MAX_PAGE_SIZE } from "../contract/fields.ts";
import { OverlappingPageReader, type PageSource } from "./overlapping-pages.ts";
import { REQUESTS_PER_MINUTE } from "./paging.ts";

/** A list to read from its newest item to its oldest. */
export interface TimePaginationOptions<T> extends PageSource<T> {
  /** The newest time, unix ms, inclusive (default: the newest item at the start). */
  readonly to?: number;
  /** Items per page, at least 2 (default: the service's maximum). */
  readonly limit?: number;
  /** Called at most once, with the reason why the rest is read by offsets. */
  onFallback?(reason: string): void;
}

/** The items up to a time. `known` has the ids that were read: those of the exact time, and those of one page. */
interface TimeWindow {
  readonly to: number | undefined;
  offset: number;
  readonly known: Set<string>;
}

/** The window before the current one. The first page of the current one must confirm that no item was skipped. */
interface PreviousWindow extends TimeWindow {
  readonly total: number;
  /** How many of the items that were read are newer than the next window. */
  readonly newer: number;
}

/** Where reading by offsets starts, and why. */
interface OffsetFallback {
  readonly reason: string;
  readonly window: TimeWindow;
}

/** How many pages of ids are remembered while reading by offsets, to find the position again. */
const REMEMBERED_PAGES = 10;

/** Estimates the minutes that pacing adds to a number of requests. */
export function estimateMinutes(requests: number): number {
  return Math.floor(Math.max(0, requests - 1) / REQUESTS_PER_MINUTE);
}

/**
 * Yields, in pages, every item that exists from start to end exactly once, even if other items arrive or are deleted meanwhile.
 * Each page is requested up to the time of the last item and starts with the last item, so offsets stay below the
 * number of items with the same time. If the list turns out to be in another order, the part that may be incomplete is
 * read by offsets. Throws `contract` if more than a few hundred items arrive or are deleted between two requests there,
 * if the list never ends, or if the service ignores the limits.
 */
export async function* paginateByTime<T>(options: TimePaginationOptions<T>): AsyncGenerator<readonly T[]> {
  const limit = options.limit ?? MAX_PAGE_SIZE;
  if (limit < 2) throw new RangeError("Pages of one item cannot overlap");
  const pages = new OverlappingPageReader(options, limit);
  const fallback = yield* paginateWindows(options, pages);
  if (!fallback) return;
  options.onFallback?.(fallback.reason);
  yield* paginateByOverlap(options, pages, fallback.window, limit);
}

async function* paginateWindows<T>(
  options: TimePaginationOptions<T>,
  pages: OverlappingPageReader<T>,
): AsyncGenerator<readonly T[], OffsetFallback | undefined> {
  let previous: PreviousWindow | undefined;
  let window: TimeWindow = { to: options.to, offset: 0, known: new Set() };
  let next = pages.read(window, window.known);
  for (;;) {
    const { page, offset, fresh } = await next;
    const reason =
      describeDisorder(page.items, options) ??
      (previous && (await detectOmission(previous, window, page.total, options, pages)));
    if (reason !== undefined) return { reason, window: previous ?? window };
    previous = undefined;
    const end = offset + page.items.length;
    const last = page.items.at(-1);
    if (!page.hasMore || last === undefined) {
      if (fresh.length > 0) yield fresh;
      return undefined;
    }
    for (const item of fresh) window.known.add(options.getId(item));
    const to = options.getTime(last);
    if (to === window.to) {
      window.offset = end - 1;
    } else {
      // This page has all items of that time that were read so far. An earlier page would have moved the limit.
      const known = new Set(page.items.filter((item) => options.getTime(item) === to).map(options.getId));
      previous = { ...window, total: page.total, newer: window.known.size - known.size };
      window = { to, offset: known.size - 1, known };
    }
    next = prefetch(pages.read(window, window.known));
    if (fresh.length > 0) yield fresh;
  }
}

/** Marks a request that runs while the current page is used. Its error is thrown when it is awaited, and ignored if it never is. */
function prefetch<T>(request: Promise<T>): Promise<T> {
  request.catch(() => {});
  return request;
}

/** Why a page is not sorted newest first with ties by id; undefined if it is. */
function describeDisorder<T>(
  items: readonly T[],
  { getTime, getId }: Pick<PageSource<T>, "getTime" | "getId">,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    if (before === undefined || getTime(before) > getTime(item)) continue;
    if (getTime(before) < getTime(item)) return "the service does not return the newest items first";
    if (getId(before) >= getId(item)) return "the service does not sort items with the same time by id";
  }
  return undefined;
}

/**
 * Why a page may have skipped newer items although it is sorted: the whole list may be sorted by something else. From
 * one window to the next, the total falls by the number of items that were read. If it falls by more, then either items
 * were deleted or items between the windows were skipped. Skipped items come after the known items of that time range,
 * and new arrivals come before them.
 */
async function detectOmission<T>(
  previous: PreviousWindow,
  { to }: TimeWindow,
  total: number,
  { getId }: TimePaginationOptions<T>,
  pages: OverlappingPageReader<T>,
): Promise<string | undefined> {
  if (to === undefined || previous.total - total <= previous.newer) return undefined;
  const between = await pages.peek(to + 1, {
    to: previous.to,
    offset: Math.max(0, previous.newer - 1),
  });
  const last = between.at(-1);
  if (last === undefined || previous.known.has(getId(last))) return undefined;
  return "the service returns newer items after older ones";
}

async function* paginateByOverlap<T>(
  options: TimePaginationOptions<T>,
  pages: OverlappingPageReader<T>,
  { to, known: before }: TimeWindow,
  limit: number,
): AsyncGenerator<readonly T[]> {
  const known = new Set<string>();
  for (let nextOffset = 0; ; ) {
    const { page, offset, fresh } = await pages.read({ to, offset: nextOffset }, known, before);
    const end = offset + page.items.length;
    if (fresh.length > 0) yield fresh;
    if (!page.hasMore) return;
    rememberIds(known, page.items.map(options.getId), limit * REMEMBERED_PAGES);
    nextOffset = end - 1;
  }
}

/** Moves ids to the end of a set, and drops the oldest ones beyond the limit. */
function rememberIds(known: Set<string>, ids: readonly string[], maxIds: number): void {
  for (const id of ids) {
    known.delete(id);
    known.add(id);
  }
  for (const id of known) {
    if (known.size <= maxIds) return;
    known.delete(id);
  }
}
