/** Writes rows as CSV or TSV in which a spreadsheet finds no formulas. */
import { stringify } from "csv-stringify/sync";
import type { CellValue, TableColumn } from "./columns.ts";
import { escapeBlock } from "./text.ts";

/** Characters that start a formula in a spreadsheet, after NFKC normalization of fullwidth variants. */
const FORMULA = /^[=+\-@]$/;

/**
 * Writes a header with the keys of the columns and one record per row, each followed by a line feed. Numbers are
 * unformatted and null is empty. Text is cleaned, and text that would be a formula is prefixed with an apostrophe.
 */
export function renderCsv<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  delimiter: "," | "\t",
): string {
  return csvHeader(columns, delimiter) + csvRecords(rows, columns, delimiter);
}

/** Writes only the header. */
export function csvHeader<T>(columns: readonly TableColumn<T>[], delimiter: "," | "\t"): string {
  return write([columns.map((column) => csvText(column.key))], delimiter);
}

/** Writes only the records, for output in several parts. */
export function csvRecords<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  delimiter: "," | "\t",
): string {
  return write(
    rows.map((row) => columns.map((column) => csvValue(column.value(row)))),
    delimiter,
  );
}

function write(records: readonly CellValue[][], delimiter: string): string {
  return stringify([...records], { delimiter, record_delimiter: "\n" });
}

function csvValue(value: CellValue): CellValue {
  return typeof value === "string" ? csvText(value) : value;
}

function csvText(text: string): string {
  const clean = escapeBlock(text);
  return isFormula(text) ? `'${clean}` : clean;
}

function isFormula(text: string): boolean {
  if (/^[\t\r]/.test(text)) return true;
  const start = text.search(/\S/);
  return start >= 0 && FORMULA.test((text[start] ?? "").normalize("NFKC"));
}
