/** Writes rows as a Markdown table in which text from anywhere stays text. */
import { type CellValue, resolveAlign, type TableColumn } from "./columns.ts";
import type { RenderOptions } from "./options.ts";
import { cleanBlock } from "./text.ts";

/** Splits what would otherwise be read as a mention, a reference or a link; it shows as nothing. */
const BREAK = "<!-- -->";
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * A GitHub-flavoured table: header, rule and a line a row, each ending in a line feed. Values read as in a table
 * that goes into a file: times as ISO, durations in words, numbers as they are. Text is cleaned, its Markdown and
 * HTML escaped, its line feeds written as `<br>`.
 */
export function renderMarkdown<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  options: RenderOptions,
): string {
  const values = columns.map((column) => rows.map((row) => column.value(row)));
  const rule = columns.map((column, at) =>
    resolveAlign(column, values[at] ?? []) === "right" ? "---:" : "---",
  );
  const lines = [line(columns.map((column) => escapeMarkdown(column.header))), line(rule)];
  const inFile = { ...options, tty: false };
  for (const at of rows.keys())
    lines.push(line(columns.map((column, of) => cell(column, values[of]?.[at] ?? null, inFile))));
  return lines.join("");
}

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;

function cell<T>({ format }: TableColumn<T>, value: CellValue, options: RenderOptions): string {
  if (value === null) return "";
  if (format) return escapeMarkdown(format(value, options));
  return typeof value === "number" ? String(value) : escapeMarkdown(value);
}

/** Text as one line of Markdown that shows just that text: no markup, link, mention or HTML of its own. */
export function escapeMarkdown(text: string): string {
  return cleanBlock(text)
    .replace(/[\\`*|[\]~$!{}]/g, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    .replace(/[&<>]/g, (found) => ENTITIES[found] ?? found)
    .replace(/@/g, `@${BREAK}`)
    .replace(/#(?=\d)/g, `#${BREAK}`)
    .replace(/:(?=\/\/)/g, `:${BREAK}`)
    .replace(/\bwww(?=\.)/gi, `$&${BREAK}`)
    .trim()
    .replaceAll("\n", "<br>");
}
