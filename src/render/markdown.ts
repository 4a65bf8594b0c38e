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

/**
 * What GitHub and GitLab link or replace in a text, up to the character behind which a comment breaks it up: mentions,
 * email addresses and commits of users, issues, advisories, URLs and emoji. `_` and other punctuation can precede all of
 * them. Times such as `12:30:45` contain no emoji.
 */
const REFERENCE =
  /@|#(?=\d)|(?<![\p{L}\p{N}])(?:GH|GHSA|CVE)-(?=[\p{L}\p{N}])|:(?=\/\/|(?!\d\d?:)[\w+\\-]+:)|www(?=\.)/giu;
/** What may be a commit id. It stays a commit id until no part has 7 characters. */
const COMMIT = /(?<![\p{L}\p{N}_])[\da-f]{7,40}(?![\p{L}\p{N}_])/giu;

/**
 * Escapes text for one line of Markdown, so that it is shown as it is: without markup, links, references, emoji or HTML.
 * Escapes only what needs it, so that the source of ordinary text stays readable.
 */
export function escapeMarkdown(text: string): string {
  return cleanBlock(text)
    .replace(/[\\`*|[\]~${}]|!(?=[[\d])/g, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    .replace(/[&<>]/g, (character) => ENTITIES[character] ?? character)
    .replace(COMMIT, (id) => id.replace(/.{6}(?=.)/g, `$&${BREAK}`))
    .replace(REFERENCE, `$&${BREAK}`)
    .trim()
    .replaceAll("\n", "<br>");
}

/**
 * Escapes text at the start of a paragraph or list item, where it could also start a heading, list, rule or a command of
 * a bot, such as `/close`.
 */
export function escapeMarkdownBlock(text: string): string {
  return escapeMarkdown(text)
    .replace(/^(?=[#+=/-])/, "\\")
    .replace(/^(\d+)(?=[.)](?:\s|$))/, "$1\\");
}
