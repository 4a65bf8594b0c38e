/** Writes a command's result to stdout in the requested format. */
import type { TableColumn } from "../render/columns.ts";
import type { RenderOptions } from "../render/options.ts";
import { escapeBlock, escapeJson, withoutCommands } from "../render/text.ts";
import type { Result, Table } from "./command.ts";
import type { Context } from "./context.ts";
import { fail } from "./errors.ts";
import type { OutputFormat } from "./global-flags.ts";

/** Writes the result. Throws `usage` if --jq is used with a format other than JSON. */
export async function writeResult(result: Result, context: Context): Promise<void> {
  const { io, settings } = context;
  if (result.raw !== undefined) await io.out.write(result.raw);
  for await (const text of result.stream ?? [])
    await io.out.write(io.out.isTTY ? text : withoutCommands(text));
  if (result.data === undefined) return;
  const { jq, fields } = settings.flags;
  const format = settings.format.value;
  if (jq !== undefined && format !== "json")
    throw fail("usage", { message: `--jq requires JSON output, not ${format}` });
  if (result.pages) return await writePages(result.pages, result.table, context);
  const text =
    jq !== undefined || fields !== undefined
      ? await renderSelection(result, context)
      : await renderResult(result, context);
  const isForPeople = format === "table" || format === "md";
  if (result.table?.rows.length === 0 && result.table.empty !== "" && format === "table" && text === "")
    await context.notify(result.table.empty);
  // Also at a terminal, because some CI services run their steps in one.
  if (text !== "") await io.out.write(isForPeople ? withoutCommands(text) : text);
}

async function renderResult(result: Result, context: Context): Promise<string> {
  const { render, settings } = context;
  const format = settings.format.value;
  if (format === "json") return formatJson(result.data, render.tty);
  if (format === "ndjson") return await renderNdjson(result.items ?? result.data);
  if (format === "table" && result.view) return await result.view(render);
  const table = result.table ?? (await toGenericTable(result.data));
  if (format === "md") return await renderMarkdownTables(table, result.sections ?? [], render);
  if (format !== "table") return await renderDelimited(table, format);
  return table.rows.length === 0 ? "" : await renderTerminalTable(table, context);
}

/** Writes csv, tsv or ndjson page by page. The header is written even if there are no pages. */
async function writePages(
  pages: AsyncIterable<readonly unknown[]>,
  table: Table | undefined,
  context: Context,
): Promise<void> {
  const { io, settings } = context;
  const format = settings.format.value;
  const columns = table?.columns ?? [];
  const { csvHeader, csvRecords } = await import("../render/csv.ts");
  const delimiter = format === "tsv" ? "\t" : ",";
  if (format !== "ndjson") await io.out.write(csvHeader(columns, delimiter));
  for await (const rows of pages) {
    const text = format === "ndjson" ? formatNdjson(rows) : csvRecords(rows, columns, delimiter);
    if (io.out.isTTY) context.endProgress();
    if (text !== "") await io.out.write(text);
  }
}

async function renderTerminalTable(table: Table, context: Context): Promise<string> {
  const { renderTable } = await import("../render/table.ts");
  return renderTable(table.rows, table.columns, context.render);
}

/** A table, followed by the sections that have rows, each under its title. */
async function renderMarkdownTables(
  table: Table,
  sections: NonNullable<Result["sections"]>,
  render: RenderOptions,
): Promise<string> {
  const { renderMarkdown } = await import("../render/markdown.ts");
  const draw = ({ rows, columns }: Table) => renderMarkdown(rows, columns, render);
  const more = sections.filter((section) => section.table.rows.length > 0);
  return [draw(table), ...more.map((section) => `\n## ${section.title}\n\n${draw(section.table)}`)].join("");
}

async function renderDelimited(table: Table, format: OutputFormat): Promise<string> {
  const { renderCsv } = await import("../render/csv.ts");
  return renderCsv(table.rows, table.columns, format === "tsv" ? "\t" : ",");
}

/** Turns any JSON into rows, with its fields as columns. */
async function toGenericTable(data: unknown): Promise<Table> {
  const { toRows } = await import("../render/select.ts");
  const { rows, columns } = toRows(data);
  return { rows, columns: columns as readonly TableColumn<unknown>[], empty: "No results." };
}

async function renderNdjson(data: unknown): Promise<string> {
  const { toItems } = await import("../render/select.ts");
  return formatNdjson(toItems(data));
}

function formatNdjson(items: readonly unknown[]): string {
  return items.map((item) => `${escapeJson(JSON.stringify(item))}\n`).join("");
}

async function renderSelection(result: Result, context: Context): Promise<string> {
  const { jq, fields } = context.settings.flags;
  let data = result.data;
  if (fields !== undefined) {
    const { selectFields } = await import("../render/select.ts");
    data = selectFields(
      data,
      fields.split(",").map((field) => field.trim()),
    );
  }
  if (jq !== undefined) return await applyJq(data, jq, context);
  return await renderResult({ data }, context);
}

/** The results of a jq expression, one per line: strings unquoted, other values as JSON. */
async function applyJq(data: unknown, expression: string, context: Context): Promise<string> {
  const { runJq } = await import("./jq.ts");
  const lines = (await runJq(data, expression, context.settings.timeoutMs.value)).split("\n");
  const values = lines.filter((line) => line !== "");
  return values.map((line) => `${formatJqLine(line, context.render.tty)}\n`).join("");
}

function formatJqLine(json: string, tty: boolean): string {
  const value: unknown = JSON.parse(json);
  if (typeof value !== "string") return escapeJson(json);
  return tty ? escapeBlock(value) : value;
}

/** JSON, indented at a terminal and on one line otherwise. Terminal control characters are escaped. */
export function formatJson(data: unknown, tty: boolean): string {
  return `${escapeJson(JSON.stringify(data, null, tty ? 2 : 0))}\n`;
}
