/** Walks a whole newest-first list by moving the bound on its times instead of the offset, which grows costly. */
import { MAX_PAGE_SIZE } from "../contract/fields.ts";
import { OverlappingPageReader, type PageSource } from "./overlapping-pages.ts";
import { REQUESTS_PER_MINUTE } from "./paging.ts";

/** A walk over a list from its newest item to its oldest. */
export interface TimePaginationOptions<T> extends PageSource<T> {
  /** The newest time, unix ms, inclusive; absent: whatever there is when the walk begins. */
  readonly to?: number;
  /** Items a page, from 2 on; the service's most unless told. */
  readonly limit?: number;
  /** Told why plain offsets are used from here on, at most once a walk. */
  onFallback?(reason: string): void;
}

/** Items that had not come before, and how far the walk is. */
export interface PaginationStep<T> {
  readonly items: readonly T[];
  /** Requests so far, and how many there will be by the service's total. */
  readonly number: number;
  readonly of: number;
}

/** The items up to a time; `known` are the ids that came of them: those of the time itself, and of one page. */
interface TimeWindow {
  readonly to: number | undefined;
  offset: number;
  readonly known: Set<string>;
}

/** A window that was left for the next, whose first page has yet to bear out that nothing was passed over. */
interface PreviousWindow extends TimeWindow {
  readonly total: number;
  /** How many of its items came that are newer than the next window. */
  readonly newer: number;
}

/** Where offsets begin, and why. */
interface OffsetFallback {
  readonly reason: string;
  readonly window: TimeWindow;
}

/** Ids that a walk by offsets remembers: the last pages, among which it finds its place again. */
const REMEMBERED_PAGES = 10;

/** What a walk over so many items takes: requests, and the minutes that it waits to keep the pace. */
export function planRequests(total: number, limit = MAX_PAGE_SIZE): { requests: number; minutes: number } {
  const requests = 1 + countRemainingPages(total - limit, limit);
  return { requests, minutes: estimateMinutes(requests) };
}

/** The minutes that so many requests wait, those of several walks included. */
export function estimateMinutes(requests: number): number {
  return Math.floor(Math.max(0, requests - 1) / REQUESTS_PER_MINUTE);
}

/** Pages for what is left after the first: each begins with an item that came before. */
const countRemainingPages = (left: number, limit: number): number =>
  Math.ceil(Math.max(0, left) / (limit - 1));

/**
 * Yields every item that exists during the whole walk exactly once, whatever else arrives or is deleted. The next page
 * is asked up to the time of the last item, from the last item on, so offsets stay below the number of items that share
 * a time. A list in another order is read by plain offsets from where it is not known to be complete; there an arrival
 * or deletion of more than some hundred items between two requests ends the walk. Throws `contract` for that, and for a
 * service that never ends or does not keep to the bounds.
 */
export async function* paginateByTime<T>(walk: TimePaginationOptions<T>): AsyncGenerator<PaginationStep<T>> {
  const limit = walk.limit ?? MAX_PAGE_SIZE;
  if (limit < 2) throw new RangeError("Pages of one item cannot overlap");
  const pages = new OverlappingPageReader(walk, limit);
  const fallback = yield* paginateWindows(walk, pages, limit);
  if (!fallback) return;
  walk.onFallback?.(fallback.reason);
  yield* paginateByOverlap(walk, pages, fallback.window, limit);
}

async function* paginateWindows<T>(
  walk: TimePaginationOptions<T>,
  pages: OverlappingPageReader<T>,
  limit: number,
): AsyncGenerator<PaginationStep<T>, OffsetFallback | undefined> {
  let left: PreviousWindow | undefined;
  let window: TimeWindow = { to: walk.to, offset: 0, known: new Set() };
  let next = pages.read(window, window.known);
  for (;;) {
    const { page, offset, fresh } = await next;
    const reason =
      describeDisorder(page.items, walk) ??
      (left && (await detectOmission(left, window, page.total, walk, pages)));
    if (reason !== undefined) return { reason, window: left ?? window };
    left = undefined;
    const end = offset + page.items.length;
    const number = pages.requests;
    const step = { items: fresh, number, of: number + countRemainingPages(page.total - end, limit) };
    const last = page.items.at(-1);
    if (!page.hasMore || last === undefined) {
      if (fresh.length > 0) yield step;
      return undefined;
    }
    for (const item of fresh) window.known.add(walk.idOf(item));
    const to = walk.timeOf(last);
    if (to === window.to) {
      window.offset = end - 1;
    } else {
      // All of the last item's time that came is on this page: a page before it would have moved the bound.
      const known = new Set(page.items.filter((item) => walk.timeOf(item) === to).map(walk.idOf));
      left = { ...window, total: page.total, newer: window.known.size - known.size };
      window = { to, offset: known.size - 1, known };
    }
    next = prefetch(pages.read(window, window.known));
    if (fresh.length > 0) yield step;
  }
}

/** A request under way while what came before is worked on: its error is told where it is awaited, or nowhere. */
function prefetch<T>(request: Promise<T>): Promise<T> {
  request.catch(() => {});
  return request;
}

/** Why a page is not in the order that windows need, newest first and ties by id; undefined where it is. */
function describeDisorder<T>(
  items: readonly T[],
  { timeOf, idOf }: Pick<PageSource<T>, "timeOf" | "idOf">,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const before = items[at - 1];
    if (before === undefined || timeOf(before) > timeOf(item)) continue;
    if (timeOf(before) < timeOf(item)) return "the service does not list the newest first";
    if (idOf(before) >= idOf(item)) return "the service does not list items of the same time by id";
  }
  return undefined;
}

/**
 * Why a page may have passed over newer items, though it is in order itself: an order by something else that begins
 * alike. Between two windows the total falls by what came; where it falls by more, items were deleted, or some of the
 * times between are hidden. Those come after what is known of these times, where arrivals come before it.
 */
async function detectOmission<T>(
  left: PreviousWindow,
  { to }: TimeWindow,
  total: number,
  { idOf }: TimePaginationOptions<T>,
  pages: OverlappingPageReader<T>,
): Promise<string | undefined> {
  if (to === undefined || left.total - total <= left.newer) return undefined;
  const between = await pages.peek(to + 1, { to: left.to, offset: Math.max(0, left.newer - 1) });
  const last = between.at(-1);
  if (last === undefined || left.known.has(idOf(last))) return undefined;
  return "the service lists newer items after older ones";
}

async function* paginateByOverlap<T>(
  walk: TimePaginationOptions<T>,
  pages: OverlappingPageReader<T>,
  { to, known: before }: TimeWindow,
  limit: number,
): AsyncGenerator<PaginationStep<T>> {
  const known = new Set<string>();
  for (let place = 0; ; ) {
    const { page, offset, fresh } = await pages.read({ to, offset: place }, known, before);
    const end = offset + page.items.length;
    if (fresh.length > 0)
      yield {
        items: fresh,
        number: pages.requests,
        of: pages.requests + countRemainingPages(page.total - end, limit),
      };
    if (!page.hasMore) return;
    rememberIds(known, page.items.map(walk.idOf), limit * REMEMBERED_PAGES);
    place = end - 1;
  }
}

/** Puts ids last in a set and drops its first beyond so many. */
function rememberIds(known: Set<string>, ids: readonly string[], most: number): void {
  for (const id of ids) {
    known.delete(id);
    known.add(id);
  }
  for (const id of known) {
    if (known.size <= most) return;
    known.delete(id);
  }
}
