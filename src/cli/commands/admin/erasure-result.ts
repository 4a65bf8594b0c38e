import { renderTable } from "../../../render/table.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { cleanLine } from "../../../render/text.ts";
import type { RowCounts } from "../../../server/erasure/row-queries.ts";
import { createTable, type Result, type Table } from "../../command.ts";

export interface ErasedTable {
  readonly table: string;
  readonly rows: number;
}

/** The tables of counts, sorted by name. */
export function listTables(counts: RowCounts): ErasedTable[] {
  return Object.entries(counts)
    .map(([table, rows]) => ({ table, rows }))
    .sort((a, b) => (a.table < b.table ? -1 : 1));
}

export const sumRows = (tables: readonly ErasedTable[]): number =>
  tables.reduce((sum, { rows }) => sum + rows, 0);

const columns = defineColumns<ErasedTable>({ table: { header: "TABLE" }, rows: { header: "ROWS" } });

/** The result of a command. `conclusion` is the last line for people. */
export const erasureResult = (data: unknown, tables: readonly ErasedTable[], conclusion: string): Result =>
  concludedResult(data, createTable(tables, columns, "No rows."), conclusion);

/** A result that people see as its table, if that has rows, and a last line. */
export function concludedResult(data: unknown, table: Table, conclusion: string): Result {
  const { rows, columns: shown } = table;
  return {
    ...{ data, table },
    view: (options) =>
      `${rows.length === 0 ? "" : `${renderTable(rows, shown, options)}\n`}${cleanLine(conclusion)}\n`,
  };
}
