/** Pages that were just shown, so that many open pages that ask for changes cost as much as one. */
import type { PageResponse } from "../../console/response.ts";

/** How old a page may be, ms. It is a fraction of the time between two requests of an open page. */
const MAX_AGE_MS = 1000;
/** The number of pages that are kept. */
const MAX_PAGES = 32;

interface Shown {
  readonly page: Promise<PageResponse>;
  /** The monotonic time at which the page was ready; null before. */
  readyAt: number | null;
}

export class RecentPages {
  readonly #pages = new Map<string, Shown>();
  readonly #now: () => number;

  /** `now` is the monotonic clock, ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The page with a name that was shown within the last second or is being prepared; else the result of `show`. */
  async find(name: string, show: () => Promise<PageResponse>): Promise<PageResponse> {
    this.#removeOld();
    const known = this.#pages.get(name);
    if (known) return await known.page;
    const shown: Shown = { page: show(), readyAt: null };
    this.#pages.set(name, shown);
    try {
      const page = await shown.page;
      shown.readyAt = this.#now();
      if (page.status !== 200) this.#pages.delete(name);
      return page;
    } catch (error) {
      this.#pages.delete(name);
      throw error;
    }
  }

  #removeOld(): void {
    for (const [name, { readyAt }] of this.#pages) {
      const isOld = readyAt !== null && this.#now() - readyAt >= MAX_AGE_MS;
      if (isOld || this.#pages.size > MAX_PAGES) this.#pages.delete(name);
    }
  }
}
