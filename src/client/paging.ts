/** Reads the pages of a list, with pacing below the service's rate limit. */
import type { Page } from "../contract/define.ts";
import { MAX_PAGE_SIZE } from "../contract/fields.ts";
import { ClientError } from "./errors.ts";

/** One page, and the progress. */
interface PageStep<T> {
  readonly page: Page<T>;
  /** The number of this page, and the expected total. */
  readonly number: number;
  readonly of: number;
}

/** Delays requests so that they stay below the rate limit. */
export interface Pacer {
  before(): Promise<void>;
}

/** The maximum number of requests per minute: a little below the service's limit of 60. */
export const REQUESTS_PER_MINUTE = 55;
const MINUTE_MS = 60_000;

/** Creates a pacer. Its clock must be monotonic: after a step back, the pacer would wait as much longer. */
export function createPacer(clock: { now(): number; sleep(ms: number): Promise<void> }): Pacer {
  const sent: number[] = [];
  return {
    async before() {
      const oldest =
        sent.length >= REQUESTS_PER_MINUTE
          ? sent.splice(0, sent.length - REQUESTS_PER_MINUTE + 1).at(-1)
          : undefined;
      if (oldest !== undefined) {
        const wait = oldest + MINUTE_MS - clock.now();
        if (wait > 0) await clock.sleep(wait);
      }
      sent.push(clock.now());
    },
  };
}

/** Lists can grow while they are read. A list that grows by more than this counts as endless. */
const GROWTH_ALLOWANCE = { factor: 2, items: 10_000 };
/** The maximum number of items of a list. With pacing, more would take weeks. */
const MAX_ITEMS = 100_000_000;

/** The number of items after which a list counts as endless. Throws `contract` for totals above MAX_ITEMS. */
export function computeMaxItems(total: number): number {
  if (total <= MAX_ITEMS) return total * GROWTH_ALLOWANCE.factor + GROWTH_ALLOWANCE.items;
  const message = `The service reports ${total} items, which is too many to read`;
  throw new ClientError("contract", message);
}

export function endlessListError(items: number): Error {
  const message = `The list does not end: the service has returned ${items} items and still reports more`;
  return new ClientError("contract", message);
}

/**
 * Yields the pages of a list until `range.items` items are read or the list ends. Only `hasMore` decides the end,
 * because `total` may change meanwhile. Throws `contract` if the service reports more items but returns none, or never
 * ends the list.
 */
export async function* paginateByOffset<T>(
  fetchPage: (range: { limit: number; offset: number }) => Promise<Page<T>>,
  range: { readonly offset: number; readonly items: number },
  pacer: Pacer,
): AsyncGenerator<PageStep<T>> {
  let { offset } = range;
  let remaining = range.items;
  let maxOffset: number | undefined;
  for (let number = 1; remaining > 0; number += 1) {
    await pacer.before();
    const limit = Math.min(MAX_PAGE_SIZE, remaining);
    const page = await fetchPage({ limit, offset });
    offset += page.items.length;
    remaining -= page.items.length;
    const rest = Math.min(remaining, Math.max(0, page.total - offset));
    yield { page, number, of: number + Math.ceil(rest / MAX_PAGE_SIZE) };
    if (!page.hasMore || remaining <= 0) return;
    maxOffset ??= range.offset + computeMaxItems(Math.min(page.total, range.items));
    if (offset > maxOffset) throw endlessListError(offset - range.offset);
    if (page.items.length === 0) {
      const message = `The service reports more items after item ${offset} but returns none`;
      throw new ClientError("contract", message);
    }
  }
}
