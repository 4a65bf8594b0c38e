/** The result of an export or import of a whole database: one row per table, with a checksum of its rows. */
import type { TableColumn } from "../../../render/columns.ts";
import { renderTable } from "../../../render/table.ts";
import { cleanLine } from "../../../render/text.ts";
import type { ArchiveChecksum, TableChecksum } from "../../../server/archive/format.ts";
import { createTable, type Result } from "../../command.ts";

/** How many hexadecimal digits of a hash the table shows. */
const SHOWN_HASH_DIGITS = 12;

const columns: readonly TableColumn<TableChecksum>[] = [
  { key: "table", header: "TABLE", value: ({ table }) => table },
  { key: "rows", header: "ROWS", value: ({ rows }) => rows },
  {
    key: "sha256",
    header: `SHA-256 (FIRST ${SHOWN_HASH_DIGITS})`,
    value: ({ sha256 }) => sha256,
    format: (hash) => String(hash).slice(0, SHOWN_HASH_DIGITS),
  },
];

/** The result of an export or import. `conclusion` is the last line for people. */
export function archiveResult(
  archive: string,
  database: string,
  checksum: ArchiveChecksum,
  conclusion: string,
): Result {
  return {
    data: { archive, database, ...checksum },
    table: createTable(checksum.tables, columns, "No tables."),
    view: (options) => `${renderTable(checksum.tables, columns, options)}\n${cleanLine(conclusion)}\n`,
  };
}
