/** Writes rows as CSV or TSV in which spreadsheets find no formulas and CI services no commands. */
import { stringify } from "csv-stringify/sync";
import type { CellValue, TableColumn } from "./columns.ts";
import { escapeBlock, escapeJson, escapeUnits, withoutCommands } from "./text.ts";

type Delimiter = "," | "\t";

/** Characters that start a formula: `=`, `+`, `-` and `@`, and all that NFKC normalizes to one of them or to a minus sign. */
const FORMULA =
  "[=\uff1d\ufe66\u207c\u208c+\uff0b\ufe62\u207a\u208a\ufb29\\-\uff0d\ufe63\ufe58\u2212\u207b\u208b@\uff20\ufe6b]";
/**
 * Text can be split into several cells or lines by programs that expect another list separator or ignore quotes. These
 * are the starts of a text, of its lines, and of what follows a separator or the visible escape of a tab or line break.
 */
const START = "(^|[,;|\n]|\\\\[nrt])";
const BLANKS_AND_QUOTES = "(?:[^\\S\n]|[\"'])*";
export const EXPOSED = new RegExp(`${START}(?=${BLANKS_AND_QUOTES}(?:${FORMULA}|::))`, "gu");
export const EXPOSED_IN_JSON = new RegExp(`${START}(${BLANKS_AND_QUOTES})(${FORMULA}|:(?=:))`, "gu");
const JSON_STRING = /"(?:[^"\\]|\\.)*"/g;
/** Finds what may have to be escaped in compact JSON. A minus sign behind a key starts a number. */
const SUSPECT_IN_JSON = /[=+@]|::|(?<!\w":)-|[^\x20-\x7e]/;

/**
 * Writes a header with the keys of the columns and one record per row, each followed by a line feed. Numbers are
 * unformatted and null is empty. Text is cleaned, and an apostrophe precedes each part of it that would be a formula or a
 * CI command. Lists and objects stay JSON with the same value. CSV quotes all text. TSV quotes only what it must, because
 * its readers, such as `cut`, often ignore quotes.
 */
export function renderCsv<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  delimiter: Delimiter,
): string {
  return csvHeader(columns, delimiter) + csvRecords(rows, columns, delimiter);
}

export function csvHeader<T>(columns: readonly TableColumn<T>[], delimiter: Delimiter): string {
  return write([columns.map((column) => csvText(column.key))], delimiter);
}

/** Writes only the records, for output in several parts. */
export function csvRecords<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  delimiter: Delimiter,
): string {
  return write(
    rows.map((row) => columns.map((column) => csvValue(column.value(row)))),
    delimiter,
  );
}

function write(records: readonly CellValue[][], delimiter: Delimiter): string {
  return stringify([...records], { delimiter, record_delimiter: "\n", quoted_string: delimiter === "," });
}

function csvValue(value: CellValue): CellValue {
  return typeof value === "string" ? csvText(value) : value;
}

function csvText(text: string): string {
  return isCompactJson(text)
    ? escapeJsonCell(text)
    : withoutCommands(escapeBlock(text).replace(EXPOSED, "$1'"));
}

/** Whether a text is a list or an object as `JSON.stringify` writes it. */
function isCompactJson(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

/** Writes one cell of text, for output in several parts. */
export function csvTextCell(text: string): string {
  return `"${csvText(text).replaceAll('"', '""')}"`;
}

/** Writes one cell of JSON text as `JSON.stringify` writes it. */
export function csvJsonCell(json: string): string {
  if (!/^[[{]/.test(json)) return csvTextCell(json);
  return `"${escapeJsonCell(json).replaceAll('"', '""')}"`;
}

/** Uses JSON escapes, so that the value does not change. Outside of its strings, only negative numbers have a sign. */
function escapeJsonCell(json: string): string {
  if (!SUSPECT_IN_JSON.test(json)) return escapeJson(json);
  return escapeJson(json).replace(JSON_STRING, (string) =>
    string.replace(
      EXPOSED_IN_JSON,
      (_, start: string, skipped: string, first: string) => start + skipped + escapeUnits(first),
    ),
  );
}
