/** Reads the pages of a list that may change at the same time. Each page overlaps the previous one by a known item. */
import type { Page } from "../contract/define.ts";
import { ClientError } from "./errors.ts";
import { computeMaxItems, endlessListError, type Pacer } from "./paging.ts";

/** The range of one request. Times are unix ms, inclusive; undefined for no limit. */
export interface PageRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A list to read: how to fetch a page and how to identify its items. */
export interface PageSource<T> {
  fetchPage(range: PageRange): Promise<Page<T>>;
  /** Unix ms. */
  getTime(item: T): number;
  getId(item: T): string;
  readonly from?: number;
  readonly pacer: Pacer;
}

/** A position in a list: the latest time, and the number of items to skip. */
interface PageCursor {
  readonly to: number | undefined;
  readonly offset: number;
}

/** A page that follows the known items without a gap. */
interface OverlappingPage<T> {
  readonly page: Page<T>;
  /** Where the page starts. It is before the requested offset if items were deleted. */
  readonly offset: number;
  /** The items that are neither known nor excluded, without duplicates. */
  readonly fresh: readonly T[];
}

const noIds: ReadonlySet<string> = new Set();
/** How many pages without a new item are allowed, in addition to those that step back over known items. */
const MAX_STALE_PAGES = 10;

/** Reads the pages of one list with pacing, and fails if the service never ends the list. */
export class OverlappingPageReader<T> {
  /** Requests so far. */
  requests = 0;
  readonly #list: PageSource<T>;
  readonly #limit: number;
  #stale = 0;
  #fresh = 0;
  #maxItems: number | undefined;

  constructor(list: PageSource<T>, limit: number) {
    this.#list = list;
    this.#limit = limit;
  }

  /**
   * Reads the page at a cursor. Unless the page is the first of the list, its first item must be one of `known`, so that
   * no item is missed before it. After deletions it is not, so the page is searched further back, in steps that double.
   * Throws `contract` if no known item is found, for items outside of the range, and for endless lists.
   */
  async read(
    cursor: PageCursor,
    known: ReadonlySet<string>,
    excluded: ReadonlySet<string> = noIds,
  ): Promise<OverlappingPage<T>> {
    const minOffset = Math.max(0, cursor.offset - known.size);
    let { offset } = cursor;
    for (let step = 1; ; step *= 2) {
      const page = await this.#fetchPage({ to: cursor.to, offset });
      const [first] = page.items;
      if (offset === 0 || (first !== undefined && known.has(this.#list.getId(first)))) {
        const fresh = this.#listFresh(page, known, excluded);
        this.#checkProgress(page, fresh.length, known.size + excluded.size);
        return { page, offset, fresh };
      }
      if (offset === minOffset)
        throw contractError("The list changed too quickly to read, or its order is not stable");
      offset = Math.max(minOffset, offset - step);
    }
  }

  /** Reads the items between two times at an offset, without checks. */
  async peek(from: number, { to, offset }: PageCursor): Promise<readonly T[]> {
    return (await this.#request({ from, to, limit: this.#limit, offset })).items;
  }

  async #request(range: PageRange): Promise<Page<T>> {
    await this.#list.pacer.before();
    return await this.#list.fetchPage(range);
  }

  async #fetchPage({ to, offset }: PageCursor): Promise<Page<T>> {
    const { from, getTime } = this.#list;
    const page = await this.#request({ from, to, limit: this.#limit, offset });
    const isOutside = (time: number) =>
      (to !== undefined && time > to) || (from !== undefined && time < from);
    const stray = page.items.map(getTime).find(isOutside);
    if (stray !== undefined)
      throw contractError(
        `The service returned an item with the time ${stray} ms, outside of the requested range`,
      );
    if (page.items.length === 0 && page.hasMore)
      throw contractError(`The service reports more items after item ${offset} but returns none`);
    return page;
  }

  #listFresh({ items }: Page<T>, known: ReadonlySet<string>, excluded: ReadonlySet<string>): T[] {
    const fresh = new Map<string, T>();
    for (const item of items) {
      const id = this.#list.getId(item);
      if (!known.has(id) && !excluded.has(id) && !fresh.has(id)) fresh.set(id, item);
    }
    return [...fresh.values()];
  }

  #checkProgress(page: Page<T>, fresh: number, remembered: number): void {
    this.#maxItems ??= computeMaxItems(page.total);
    this.#fresh += fresh;
    this.#stale = fresh > 0 ? 0 : this.#stale + 1;
    if (!page.hasMore) return;
    // After a step back, this many pages contain only known items.
    const knownPages = remembered / Math.max(1, page.items.length - 1);
    if (this.#stale > knownPages + MAX_STALE_PAGES)
      throw contractError("The service reports more items but keeps returning the same ones");
    if (this.#fresh > this.#maxItems) throw endlessListError(this.#fresh);
  }
}

function contractError(message: string): Error {
  return new ClientError("contract", message);
}
