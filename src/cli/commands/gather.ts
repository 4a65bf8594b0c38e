/** Lists of several pages: gathered as one document, or handed on page by page where the format allows. */

import { paginateByOffset } from "../../client/paging.ts";
import type { Page } from "../../contract/define.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../contract/fields.ts";
import type { TableColumn } from "../../render/columns.ts";
import { formatDuration } from "../../render/time.ts";
import { createTable, type Result } from "../command.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors.ts";
import { integer, toggle } from "../flags.ts";

/** The flags of every list. */
export const listFlags = {
  limit: integer(
    "--limit <n>",
    `maximum number of results (default: ${DEFAULT_PAGE_SIZE})`,
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  offset: integer("--offset <n>", "number of results to skip", 0, Number.MAX_SAFE_INTEGER),
  all: toggle("--all", "return all results, page by page"),
} as const;

export interface ListSelection {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly all: boolean;
}

type FetchPage<T> = (range: { limit: number; offset: number }) => Promise<Page<T>>;

/** Whether more than one page is wanted, so that connections should be kept. */
export function isMultiPage({ all, limit = DEFAULT_PAGE_SIZE }: ListSelection): boolean {
  return all || limit > MAX_PAGE_SIZE;
}

/** The result of a paged list. Long lists as csv, tsv or ndjson are written as their pages come. */
export async function listResult<T>(
  context: Context,
  wanted: ListSelection,
  fetchPage: FetchPage<T>,
  { columns, empty }: { readonly columns: readonly TableColumn<T>[]; readonly empty: string },
): Promise<Result> {
  if (wanted.all && wanted.limit !== undefined) {
    throw fail("usage", {
      message: `--limit ${wanted.limit} and --all exclude each other`,
      hint: "Leave one of them out.",
    });
  }
  if (isMultiPage(wanted) && streamsRows(context)) {
    return {
      data: [],
      table: createTable([], columns, empty),
      pages: streamItemPages(context, wanted, fetchPage),
    };
  }
  const page = await gatherPages(context, wanted, fetchPage);
  await notifyMore(context, page);
  const beyond = page.items.length === 0 && page.total > 0;
  const none = beyond ? `Nothing after item ${wanted.offset}: there are ${page.total}.` : empty;
  return { data: page, table: createTable(page.items, columns, none) };
}

/** Whether the format takes a row after the other, each as it is. */
function streamsRows({ settings }: Context): boolean {
  const { jq, fields } = settings.flags;
  return jq === undefined && fields === undefined && ["ndjson", "csv", "tsv"].includes(settings.format.value);
}

/** The page that holds everything wanted: several joined, `hasMore` and `total` of the last. */
async function gatherPages<T>(
  context: Context,
  wanted: ListSelection,
  fetchPage: FetchPage<T>,
): Promise<Page<T>> {
  const items: T[] = [];
  let last: Page<T> = { items, hasMore: false, total: 0 };
  for await (const page of enforceMemoryLimit(context, readPages(context, wanted, fetchPage))) {
    if (!isMultiPage(wanted)) return page;
    for (const item of page.items) items.push(item);
    last = page;
  }
  return { ...last, items };
}

/** What is held at once, characters of JSON: the longest text that is written in one piece is twice that. */
const MAX_HELD_CHARS = 256 * 1024 * 1024;

/** The pages of a walk that keeps all of them. Throws `contract` once they are more than can be held. */
export async function* enforceMemoryLimit<T>(context: Context, pages: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const page of pages) {
    if (context.receivedChars > MAX_HELD_CHARS) {
      throw fail("contract", {
        message: `The service has sent more than ${MAX_HELD_CHARS / 2 ** 20} MiB, which is too much to be held at once`,
        hint: "Ask for less, write rows as they come with --format ndjson or csv, or use `playtest export`.",
      });
    }
    yield page;
  }
}

async function* streamItemPages<T>(
  context: Context,
  wanted: ListSelection,
  fetchPage: FetchPage<T>,
): AsyncGenerator<readonly T[]> {
  for await (const { items } of readPages(context, wanted, fetchPage)) yield items;
}

/** The pages as they come, with what is known of the way shown. */
export async function* readPages<T>(
  context: Context,
  { limit = DEFAULT_PAGE_SIZE, offset = 0, all }: ListSelection,
  fetchPage: FetchPage<T>,
): AsyncGenerator<Page<T>> {
  const want = { offset, items: all ? Number.POSITIVE_INFINITY : limit };
  const started = context.io.now();
  let come = 0;
  for await (const { page, number, of } of paginateByOffset(fetchPage, want, context.pacer())) {
    come += page.items.length;
    if (number > 1 || of > 1) {
      const total = Math.min(want.items, page.total);
      const pace = describePace(come, total - come, context.io.now() - started);
      await context.progress(`Page ${number} of ${of}: ${come} of ${total}${pace}`);
    }
    yield page;
  }
}

/** How fast it goes and how long the rest takes, once that can be told. */
function describePace(come: number, left: number, ms: number): string {
  if (ms < 1000 || left <= 0) return "";
  const each = ms / come;
  return `, ${Math.round(1000 / each)} a second, ${formatDuration((left * each) / 1000)} left`;
}

/** Says on stderr that there is more than is shown. */
async function notifyMore(context: Context, page: Page<unknown>): Promise<void> {
  if (!page.hasMore || context.settings.format.value !== "table") return;
  await context.notify(`Showing ${page.items.length} of ${page.total}; --limit or --all shows more.`);
}
