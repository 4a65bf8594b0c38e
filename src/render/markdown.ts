/** Writes rows as a Markdown table. Markup in the values is escaped. */
import { type CellValue, resolveAlign, type TableColumn } from "./columns.ts";
import type { RenderOptions } from "./options.ts";
import { cleanBlock } from "./text.ts";

/** An invisible comment that breaks up mentions, issue references and automatic links. */
const BREAK = "<!-- -->";
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * Renders a GitHub-flavored table: a header, a delimiter row and one line per row, each followed by a line feed. Values
 * are formatted as in a file: times as ISO 8601, durations such as `1h 02m`, numbers without separators. Text is
 * cleaned, its Markdown and HTML are escaped, and its line feeds become `<br>`.
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
  for (const [at, row] of rows.entries())
    lines.push(line(columns.map((column, index) => cell(column, values[index]?.[at] ?? null, row, inFile))));
  return lines.join("");
}

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;

function cell<T>({ format }: TableColumn<T>, value: CellValue, row: T, options: RenderOptions): string {
  if (value === null) return "";
  if (format) return escapeMarkdown(format(value, options, row));
  return typeof value === "number" ? String(value) : escapeMarkdown(value);
}

/** Escapes text for one line of Markdown, so that it contains no markup, links, mentions or HTML. */
export function escapeMarkdown(text: string): string {
  return cleanBlock(text)
    .replace(/[\\`*|[\]~$!{}]/g, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    .replace(/[&<>]/g, (character) => ENTITIES[character] ?? character)
    .replace(/@/g, `@${BREAK}`)
    .replace(/#(?=\d)/g, `#${BREAK}`)
    .replace(/:(?=\/\/)/g, `:${BREAK}`)
    .replace(/\bwww(?=\.)/gi, `$&${BREAK}`)
    .trim()
    .replaceAll("\n", "<br>");
}
