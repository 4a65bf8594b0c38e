/** Plans datasets from lists: their size in a time range, what is outside of it, and the number of requests. */
import { ClientError } from "../../client/errors.ts";
import type { Page } from "../../contract/define.ts";
import { MAX_PAGE_SIZE } from "../../contract/fields.ts";
import type { Game } from "../../contract/games.ts";
import { type BucketWidth, countBuckets, findBucketStart, type TimeSpan } from "../../shared/calendar.ts";
import type { ExportReader } from "../reader.ts";
import { type DatasetExtent, type ExportScope, type ItemCounter, toEnvironmentFilters } from "./dataset.ts";
import { countPages, fetchOnce, type ListSource, MAX_BUFFERED_ITEMS } from "./lists.ts";

/**
 * Reads the newest page of a list from a time on. It usually shows that nothing is later than the range to export, and is
 * then the first page of that range too.
 */
async function readNewestPage<T>(
  reader: ExportReader,
  source: ListSource<T>,
  game: Game,
  { from, to = Number.POSITIVE_INFINITY }: Partial<TimeSpan>,
): Promise<{ readonly page: Page<T>; readonly mayHaveLater: boolean }> {
  const query = { game: game.id, ...(from === undefined ? {} : { from }), limit: MAX_PAGE_SIZE, offset: 0 };
  const page = await fetchOnce(reader, source, query);
  const times = page.items.map(source.getTime);
  const isWhole = page.total === times.length;
  const isOrdered = times.length > 0 && times.every((time, index) => time <= (times[index - 1] ?? time));
  return { page, mayHaveLater: !(isWhole || isOrdered) || times.some((time) => time > to) };
}

/**
 * Creates a function that reads the size of a list in a time range with one to three requests. It estimates the number
 * of buckets from the newest page, which is exact if there is only one page. `getKey` groups items that are requested
 * separately, such as by build. Throws `contract` if the service reports items but returns none.
 */
export function createExtentReader<T>(source: ListSource<T>, getKey: (item: T) => string = () => "") {
  const { getTime } = source;
  return async (
    reader: ExportReader,
    game: Game,
    span: Partial<TimeSpan>,
    by: BucketWidth,
  ): Promise<DatasetExtent | null> => {
    const readPage = (limit: number, offset: number) =>
      fetchOnce(reader, source, { game: game.id, ...span, limit, offset });
    const { page, mayHaveLater } = await readNewestPage(reader, source, game, span);
    const { items, total } = mayHaveLater ? await readPage(MAX_PAGE_SIZE, 0) : page;
    const [newest] = items;
    if (newest === undefined && total === 0) return null;
    const end = total > items.length ? await readPage(1, total - 1) : { items };
    // If items arrive or are deleted meanwhile, this may not be the oldest item. It is only used for estimates.
    const last = end.items.at(-1) ?? newest;
    if (newest === undefined || last === undefined)
      throw new ClientError("contract", `The service reports ${total} items but returns none`);
    const [from, to] = [getTime(newest), getTime(last)].sort((a, b) => a - b) as [number, number];
    const starts = new Set(items.map((item) => findBucketStart(getTime(item), by))).size;
    const buckets = total > items.length ? Math.min(total, countBuckets({ from, to }, by)) : starts;
    const seen = new Set(items.map((item) => `${findBucketStart(getTime(item), by)}/${getKey(item)}`)).size;
    const keys = new Set(items.map(getKey)).size;
    const groups = Math.min(Math.ceil((total * seen) / items.length), buckets * keys);
    return { items: total, oldest: from, buckets, groups };
  };
}

/** Creates a counter of the items in a time range, with one request per environment. */
export function createCounter<T>(
  source: ListSource<T>,
  itemName: string,
  { hasEnvironments = true }: { readonly hasEnvironments?: boolean } = {},
): ItemCounter {
  return {
    itemName,
    async mayHaveLater(reader, { game }, span) {
      return (await readNewestPage(reader, source, game, span)).mayHaveLater;
    },
    async count(reader, scope, span) {
      let count = 0;
      for (const env of hasEnvironments ? toEnvironmentFilters(scope) : [undefined]) {
        const query = { game: scope.game.id, env, ...span, limit: 1, offset: 0 };
        count += (await fetchOnce(reader, source, query)).total;
      }
      return count;
    },
  };
}

/** Estimates the requests for reading a list. */
export function estimateListRequests(
  { environments, split }: ExportScope,
  extent: DatasetExtent | null,
): number {
  if (extent === null) return 0;
  const { items, groups } = extent;
  const pages = countPages(items);
  const runs = Math.max(1, environments.length);
  if (!split) return pages + runs - 1;
  if (items <= MAX_BUFFERED_ITEMS) return pages + runs - 1;
  return Math.min(pages, groups) + Math.max(pages, runs * groups);
}
