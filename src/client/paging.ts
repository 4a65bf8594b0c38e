/** Walks the pages of a list, pacing itself below the service's limit when the walk is long. */
import type { Page } from "../contract/define.ts";
import { MAX_PAGE_SIZE } from "../contract/fields.ts";
import { ClientError } from "./errors.ts";

/** One page as it arrives, and how far the walk has come. */
export interface PageStep<T> {
  readonly page: Page<T>;
  /** Pages so far, this one included, and how many there will be. */
  readonly number: number;
  readonly of: number;
}

/** Spaces requests so that no minute holds more than the limit lets through. */
export interface Pacer {
  before(): Promise<void>;
}

/** Requests a minute a long walk allows itself: a little below the service's 60. */
export const REQUESTS_PER_MINUTE = 55;
const MINUTE_MS = 60_000;

/** A pacer on the given clock. */
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

/** A walk may bring twice what the service told at its beginning, and so many more: lists grow. Then it is endless. */
const GROWTH_ALLOWANCE = { factor: 2, items: 10_000 };
/** More items than this are in no list: at the pace of walks they would take weeks. */
const MAX_ITEMS = 100_000_000;

/** How many items a walk takes before it is called endless. Throws `contract` for a total that none could walk. */
export function computeMaxItems(total: number): number {
  if (total <= MAX_ITEMS) return total * GROWTH_ALLOWANCE.factor + GROWTH_ALLOWANCE.items;
  const message = `The service says there are ${total} items, which is more than can be read`;
  throw new ClientError("contract", message);
}

/** The error of a list without an end. */
export function endlessListError(items: number): Error {
  const message = `The service has sent ${items} items and does not come to an end`;
  return new ClientError("contract", message);
}

/**
 * Yields the pages of a list until `want` items have come or there are no more. Throws `contract` where the
 * service says there is more and sends nothing, or never ends. `hasMore` alone tells the end: a total may have changed
 * on the way.
 */
export async function* paginateByOffset<T>(
  fetchPage: (range: { limit: number; offset: number }) => Promise<Page<T>>,
  want: { readonly offset: number; readonly items: number },
  pacer: Pacer,
): AsyncGenerator<PageStep<T>> {
  let { offset } = want;
  let left = want.items;
  let most: number | undefined;
  for (let number = 1; left > 0; number += 1) {
    await pacer.before();
    const limit = Math.min(MAX_PAGE_SIZE, left);
    const page = await fetchPage({ limit, offset });
    offset += page.items.length;
    left -= page.items.length;
    const rest = Math.min(left, Math.max(0, page.total - offset));
    yield { page, number, of: number + Math.ceil(rest / MAX_PAGE_SIZE) };
    if (!page.hasMore || left <= 0) return;
    most ??= want.offset + computeMaxItems(Math.min(page.total, want.items));
    if (offset > most) throw endlessListError(offset - want.offset);
    if (page.items.length === 0) {
      const message = `The service says there is more after item ${offset} but sends nothing`;
      throw new ClientError("contract", message);
    }
  }
}
