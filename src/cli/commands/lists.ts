/** What the commands that list something share: pages, flags and columns. */
import { paginateByOffset } from "../../client/paging.ts";
import type { Page } from "../../contract/define.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../contract/fields.ts";
import type { TableColumn } from "../../render/columns.ts";
import { formatDuration } from "../../render/time.ts";
import { createTable, type Result, type Table } from "../command.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors.ts";
import { integer, time, toggle } from "../flags.ts";

export const listFlags = {
  limit: integer("--limit <n>", `maximum number of results (default: ${DEFAULT_PAGE_SIZE})`, 1),
  offset: integer("--offset <n>", "number of results to skip", 0),
  all: toggle("--all", "return all results, page by page"),
} as const;

export interface ListSelection {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly all: boolean;
}

export type FetchPage<T> = (range: { limit: number; offset: number }) => Promise<Page<T>>;

/** Whether the list may need several requests, so that connections should be reused. */
export function isMultiPage({ all, limit = DEFAULT_PAGE_SIZE }: ListSelection): boolean {
  return all || limit > MAX_PAGE_SIZE;
}

/** Throws `usage` if both flags for the number of items are given. */
export function checkSelection({ all, limit }: Pick<ListSelection, "all" | "limit">): void {
  if (!all || limit === undefined) return;
  throw fail("usage", { message: `--limit ${limit} cannot be used with --all`, hint: "Omit one of them." });
}

/** The result of a paged list. Long lists in csv, tsv or ndjson are written page by page as they arrive. */
export async function listResult<T>(
  context: Context,
  selection: ListSelection,
  fetchPage: FetchPage<T>,
  { columns, empty }: { readonly columns: readonly TableColumn<T>[]; readonly empty: string },
): Promise<Result> {
  checkSelection(selection);
  if (isMultiPage(selection) && streamsRows(context)) {
    return {
      data: [],
      table: createTable([], columns, empty),
      pages: streamItemPages(context, selection, fetchPage),
    };
  }
  const page = await gatherPages(context, selection, fetchPage);
  await notifyMore(context, page);
  const isPastEnd = page.items.length === 0 && page.total > 0;
  const message = isPastEnd ? `No results at offset ${selection.offset} (total: ${page.total}).` : empty;
  return { data: page, table: await createListTable(context, page.items, columns, message) };
}

/** Whether the output format writes one independent row after another. */
export function streamsRows({ settings }: Context): boolean {
  const { jq, fields } = settings.flags;
  return jq === undefined && fields === undefined && ["ndjson", "csv", "tsv"].includes(settings.format.value);
}

/** Joins all selected items into one page, with `hasMore` and `total` of the last one. */
async function gatherPages<T>(
  context: Context,
  selection: ListSelection,
  fetchPage: FetchPage<T>,
): Promise<Page<T>> {
  const items: T[] = [];
  let last: Page<T> = { items, hasMore: false, total: 0 };
  for await (const page of enforceMemoryLimit(context, readPages(context, selection, fetchPage))) {
    if (!isMultiPage(selection)) return page;
    for (const item of page.items) items.push(item);
    last = page;
  }
  return { ...last, items };
}

/** The limit for results held in memory, in characters of JSON. Half the maximum string length of V8 (about 2^29). */
const MAX_BUFFERED_CHARS = 256 * 1024 * 1024;

/** Yields the pages of a list that is kept in memory. Throws `contract` once the responses are too large. */
export async function* enforceMemoryLimit<T>(context: Context, pages: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const page of pages) {
    if (context.receivedChars > MAX_BUFFERED_CHARS) {
      throw fail("contract", {
        message: `The result is larger than ${MAX_BUFFERED_CHARS / 2 ** 20} MiB, which is too large to keep in memory`,
        hint: "Request less data, use --format ndjson or csv (written page by page), or use `playtest export`.",
      });
    }
    yield page;
  }
}

async function* streamItemPages<T>(
  context: Context,
  selection: ListSelection,
  fetchPage: FetchPage<T>,
): AsyncGenerator<readonly T[]> {
  for await (const { items } of readPages(context, selection, fetchPage)) yield items;
}

/** Yields the pages as they arrive and shows the progress. */
export async function* readPages<T>(
  context: Context,
  { limit = DEFAULT_PAGE_SIZE, offset = 0, all }: ListSelection,
  fetchPage: FetchPage<T>,
): AsyncGenerator<Page<T>> {
  const range = { offset, items: all ? Number.POSITIVE_INFINITY : limit };
  const started = context.io.monotonicNow();
  let received = 0;
  for await (const { page, number, of } of paginateByOffset(fetchPage, range, context.pacer())) {
    received += page.items.length;
    if (number > 1 || of > 1) {
      const total = Math.min(range.items, page.total);
      const pace = formatPace(received, total - received, context.io.monotonicNow() - started);
      await context.progress(`Page ${number} of ${of}: ${received} of ${total} items${pace}`);
    }
    yield page;
  }
}

/** The rate and the remaining time, once a second has passed. */
function formatPace(received: number, remaining: number, ms: number): string {
  if (ms < 1000 || remaining <= 0) return "";
  const msPerItem = ms / received;
  const remainingSec = (remaining * msPerItem) / 1000;
  return `, ${Math.round(1000 / msPerItem)} per second, ${formatDuration(remainingSec)} left`;
}

/** Notes on stderr that there are more results than shown. */
async function notifyMore(context: Context, page: Page<unknown>): Promise<void> {
  if (!page.hasMore || context.settings.format.value !== "table") return;
  await context.notify(`Showing ${page.items.length} of ${page.total}. Use --limit or --all to show more.`);
}

export const sinceFlag = (describe: string) =>
  time("--since <time>", `${describe}, such as 7d (same as --from)`);

/** The lower bound; all in unix ms. Throws `usage` if both flags are given. */
export function readSince(from: number | undefined, since: number | undefined): number | undefined {
  if (from !== undefined && since !== undefined)
    throw fail("usage", { message: "--since cannot be used with --from", hint: "Omit one of them." });
  return since ?? from;
}

/** The table of a list, without the optional columns in which all rows have the same value. */
export async function createListTable<T>(
  context: Context,
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  empty: string,
): Promise<Table> {
  return createTable(rows, await dropConstantColumns(context, rows, columns), empty);
}

/** At a terminal, replaces optional columns in which all rows have the same value by a note about that value. */
async function dropConstantColumns<T>(
  context: Context,
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
): Promise<readonly TableColumn<T>[]> {
  const { settings, io, render } = context;
  if (settings.format.value !== "table" || !io.out.isTTY || render.wide || rows.length < 2) return columns;
  const constant = columns.filter(
    ({ dropsConstant, value }) => dropsConstant && new Set(rows.map((row) => value(row))).size === 1,
  );
  if (constant.length === 0) return columns;
  const values = constant.map(
    ({ header, value }) => `${header.toLowerCase()} ${value(rows[0] as T) ?? "unknown"}`,
  );
  await context.notify(`All rows: ${values.join(", ")}. Use --wide to show all columns.`);
  return columns.filter((column) => !constant.includes(column));
}
