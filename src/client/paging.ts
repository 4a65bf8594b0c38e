/** Walks the pages of a list, pacing itself below the service's limit when the walk is long. */
import type { Page } from "../contract/define.ts";
import { fail } from "../contract/errors.ts";
import { MAX_PAGE } from "../contract/fields.ts";

/** One page as it arrives, and how far the walk has come. */
export interface Step<T> {
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
export const PACE = 55;
const MINUTE = 60_000;

/** A pacer on the given clock. */
export function minutePacer(clock: { now(): number; sleep(ms: number): Promise<void> }): Pacer {
  const sent: number[] = [];
  return {
    async before() {
      const oldest = sent.length >= PACE ? sent.splice(0, sent.length - PACE + 1).at(-1) : undefined;
      if (oldest !== undefined) {
        const wait = oldest + MINUTE - clock.now();
        if (wait > 0) await clock.sleep(wait);
      }
      sent.push(clock.now());
    },
  };
}

/**
 * Yields the pages of a list until `want` items have come or there are no more. Throws `contract` where the
 * service says there is more and sends nothing. `hasMore` alone tells the end: a total may have changed on the way.
 */
export async function* walkPages<T>(
  fetchPage: (range: { limit: number; offset: number }) => Promise<Page<T>>,
  want: { readonly offset: number; readonly items: number },
  pacer: Pacer,
): AsyncGenerator<Step<T>> {
  let { offset } = want;
  let left = want.items;
  for (let number = 1; left > 0; number += 1) {
    await pacer.before();
    const limit = Math.min(MAX_PAGE, left);
    const page = await fetchPage({ limit, offset });
    offset += page.items.length;
    left -= page.items.length;
    const rest = Math.min(left, Math.max(0, page.total - offset));
    yield { page, number, of: number + Math.ceil(rest / MAX_PAGE) };
    if (!page.hasMore) return;
    if (page.items.length === 0) {
      const message = `The service says there is more after item ${offset} but sends nothing`;
      throw fail("contract", { message });
    }
  }
}
