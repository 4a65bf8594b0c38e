/** Gathers a list over as many pages as are wanted, as one document. */

import { walkPages } from "../../client/paging.ts";
import type { Page } from "../../contract/define.ts";
import { DEFAULT_PAGE, MAX_PAGE } from "../../contract/fields.ts";
import type { Context } from "../context.ts";
import { integer, toggle } from "../flags.ts";

/** The flags of every list. */
export const listFlags = {
  limit: integer("--limit <n>", `how many at most, default ${DEFAULT_PAGE}`, 1, Number.MAX_SAFE_INTEGER),
  offset: integer("--offset <n>", "how many to pass over first", 0, Number.MAX_SAFE_INTEGER),
  all: toggle("--all", "everything there is, page by page"),
} as const;

export interface Wanted {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly all: boolean;
}

/** Whether more than one page is wanted, so that connections should be kept. */
export function isLong({ all, limit = DEFAULT_PAGE }: Wanted): boolean {
  return all || limit > MAX_PAGE;
}

/** The page that holds everything wanted: several joined, `hasMore` and `total` of the last. */
export async function gather<T>(
  context: Context,
  wanted: Wanted,
  fetchPage: (range: { limit: number; offset: number }) => Promise<Page<T>>,
): Promise<Page<T>> {
  const { limit = DEFAULT_PAGE, offset = 0, all } = wanted;
  const want = { offset, items: all ? Number.POSITIVE_INFINITY : limit };
  const items: T[] = [];
  let last: Page<T> = { items, hasMore: false, total: 0 };
  for await (const { page, number, of } of walkPages(fetchPage, want, context.pacer())) {
    if (!isLong(wanted)) return page;
    for (const item of page.items) items.push(item);
    last = page;
    await context.progress(`Page ${number} of ${of}: ${items.length} of ${page.total}`);
  }
  return { ...last, items };
}

/** Says on stderr that there is more than is shown. */
export async function tellMore(context: Context, page: Page<unknown>): Promise<void> {
  if (!page.hasMore || context.settings.format.value !== "table") return;
  await context.notify(`Showing ${page.items.length} of ${page.total}; --limit or --all shows more.`);
}
