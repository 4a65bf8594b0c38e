/** What an export or import of a whole database tells: a row a table, each with the proof of its rows. */
import type { Column } from "../../../render/columns.ts";
import type { ArchiveSum, TableSum } from "../../../server/archive/format.ts";
import { type Result, tableOf } from "../../command.ts";

/** Hexadecimal digits of a hash that a table shows. */
const SHOWN = 12;

const columns: readonly Column<TableSum>[] = [
  { key: "table", header: "TABLE", value: ({ table }) => table },
  { key: "rows", header: "ROWS", value: ({ rows }) => rows },
  {
    key: "sha256",
    header: "SHA-256",
    value: ({ sha256 }) => sha256,
    format: (hash) => String(hash).slice(0, SHOWN),
  },
];

export function archiveResult(archive: string, database: string, sum: ArchiveSum): Result {
  return { data: { archive, database, ...sum }, table: tableOf(sum.tables, columns, "No tables.") };
}
