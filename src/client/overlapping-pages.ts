/** Reads pages of a list that changes meanwhile: each overlaps the one before by an item that must be known. */
import type { Page } from "../contract/define.ts";
import { ClientError } from "./errors.ts";
import { computeMaxItems, endlessListError, type Pacer } from "./paging.ts";

/** What is asked of the service; times are unix ms, both inclusive, and undefined where nothing bounds them. */
export interface PageRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A list to read: how a page is fetched, and what tells its items apart. */
export interface PageSource<T> {
  fetchPage(range: PageRange): Promise<Page<T>>;
  /** Unix ms. */
  timeOf(item: T): number;
  idOf(item: T): string;
  readonly from?: number;
  readonly pacer: Pacer;
}

/** A place in a list: the bound on times, and how many items to pass over. */
export interface PageCursor {
  readonly to: number | undefined;
  readonly offset: number;
}

/** A page that follows what is known without a gap. */
export interface OverlappingPage<T> {
  readonly page: Page<T>;
  /** Where it begins: before the offset asked for, where items had gone. */
  readonly offset: number;
  /** Its items that were neither known nor to be left out, each once. */
  readonly fresh: readonly T[];
}

const noIds: ReadonlySet<string> = new Set();
/** Pages without a fresh item that are borne beyond those which reading what is known again explains. */
const MAX_STALE_PAGES = 10;

/** The pages of one walk: paced, anchored, and ended where the service would never end. */
export class OverlappingPageReader<T> {
  /** Requests so far. */
  requests = 0;
  readonly #list: PageSource<T>;
  readonly #limit: number;
  #stale = 0;
  #fresh = 0;
  #most: number | undefined;

  constructor(list: PageSource<T>, limit: number) {
    this.#list = list;
    this.#limit = limit;
  }

  /**
   * The page at a place. Its first item must be one of `known` unless it is the list's first: then nothing unknown
   * lies before it. Where items were deleted it is not, and the page is looked for further back, by doubled steps.
   * Throws `contract` where no known item is found, where items lie outside the bounds, and for endless lists.
   */
  async read(
    place: PageCursor,
    known: ReadonlySet<string>,
    leftOut: ReadonlySet<string> = noIds,
  ): Promise<OverlappingPage<T>> {
    const least = Math.max(0, place.offset - known.size);
    let { offset } = place;
    for (let step = 1; ; step *= 2) {
      const page = await this.#fetch({ to: place.to, offset });
      const [first] = page.items;
      if (offset === 0 || (first !== undefined && known.has(this.#list.idOf(first)))) {
        const fresh = this.#unlike(page, known, leftOut);
        this.#checkProgress(page, fresh.length, known.size + leftOut.size);
        return { page, offset, fresh };
      }
      if (offset === least)
        throw contractError("The list changes faster, or in another order, than it can be read");
      offset = Math.max(least, offset - step);
    }
  }

  /** The items from a time on, up to another, that follow so many: as they come. */
  async peek(from: number, { to, offset }: PageCursor): Promise<readonly T[]> {
    return (await this.#request({ from, to, limit: this.#limit, offset })).items;
  }

  async #request(range: PageRange): Promise<Page<T>> {
    await this.#list.pacer.before();
    this.requests += 1;
    return await this.#list.fetchPage(range);
  }

  async #fetch({ to, offset }: PageCursor): Promise<Page<T>> {
    const { from, timeOf } = this.#list;
    const page = await this.#request({ from, to, limit: this.#limit, offset });
    const isOutside = (time: number) =>
      (to !== undefined && time > to) || (from !== undefined && time < from);
    const stray = page.items.map(timeOf).find(isOutside);
    if (stray !== undefined)
      throw contractError(`The service sent an item of ${stray} ms, outside of what was asked for`);
    if (page.items.length === 0 && page.hasMore)
      throw contractError(`The service says there is more after item ${offset} but sends nothing`);
    return page;
  }

  #unlike({ items }: Page<T>, known: ReadonlySet<string>, leftOut: ReadonlySet<string>): T[] {
    const fresh = new Map<string, T>();
    for (const item of items) {
      const id = this.#list.idOf(item);
      if (!known.has(id) && !leftOut.has(id) && !fresh.has(id)) fresh.set(id, item);
    }
    return [...fresh.values()];
  }

  #checkProgress(page: Page<T>, fresh: number, remembered: number): void {
    this.#most ??= computeMaxItems(page.total);
    this.#fresh += fresh;
    this.#stale = fresh > 0 ? 0 : this.#stale + 1;
    if (!page.hasMore) return;
    // After a step back so many pages bring only what is known.
    const again = remembered / Math.max(1, page.items.length - 1);
    if (this.#stale > again + MAX_STALE_PAGES)
      throw contractError("The service says there is more but only repeats what it sent");
    if (this.#fresh > this.#most) throw endlessListError(this.#fresh);
  }
}

function contractError(message: string): Error {
  return new ClientError("contract", message);
}
