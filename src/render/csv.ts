/** Writes rows as csv or tsv that a spreadsheet opens without running any of it. */
import { stringify } from "csv-stringify/sync";
import type { CellValue, TableColumn } from "./columns.ts";
import { cleanBlock } from "./text.ts";

/** What a spreadsheet takes for the start of a formula, once width variants are folded. */
const FORMULA = /^[=+\-@]$/;

/**
 * A header of the columns' keys and a record a row, each ending in a line feed. Numbers are written as they
 * are, null as nothing; text is cleaned, and what would be taken for a formula starts with an apostrophe.
 */
export function renderCsv<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  delimiter: "," | "\t",
): string {
  return csvHeader(columns, delimiter) + csvRecords(rows, columns, delimiter);
}

/** The header alone. */
export function csvHeader<T>(columns: readonly TableColumn<T>[], delimiter: "," | "\t"): string {
  return write([columns.map((column) => csvText(column.key))], delimiter);
}

/** The records alone, for what comes in parts. */
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
  const clean = cleanBlock(text);
  return isFormula(text) ? `'${clean}` : clean;
}

function isFormula(text: string): boolean {
  if (/^[\t\r]/.test(text)) return true;
  const start = text.search(/\S/);
  return start >= 0 && FORMULA.test((text[start] ?? "").normalize("NFKC"));
}
