/**
 * Columns with the same value in all rows of a list. All lists follow one rule: a column that says what a row belongs to,
 * such as its build, environment or status, is left out if it is the same for all rows, and a note names the value.
 * Columns that say which row it is, or measure it, are always shown: names, ids, titles, counts and times.
 */
import type { TableColumn } from "../../render/columns.ts";
import { createTable, type Table } from "../command.ts";
import type { Context } from "../context.ts";

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
