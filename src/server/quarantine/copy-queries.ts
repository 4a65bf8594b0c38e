/** Copies the rows of a session to another game and account. */
import { sql } from "kysely";
import type { Db, SessionRow } from "../db/schema.ts";
import { getTable, listColumns, type StoredTable, tableNames } from "../db/tables.ts";
import { copySlices } from "../positions/copy-slices.ts";
import { insertSession } from "../sessions/session-queries.ts";

/** Tables with their own copies: the row of the session changes, and slices become chunks. */
const copiedApart: readonly StoredTable[] = ["sessions", "position_slices"];

/** The archived tables with rows that belong to one session, which the column names. */
const copiedTables = tableNames.flatMap((table) => {
  const [column] = listColumns(table).find(([, { finders }]) => finders?.includes("session")) ?? [];
  return column === undefined || copiedApart.includes(table) ? [] : [{ table, column }];
});

/** Copies the rows of a session to its new place. */
export async function copyRows(db: Db, from: SessionRow, to: SessionRow): Promise<void> {
  const { item: _item, search: _search, ...row } = { ...to, analysis_lease: null };
  if (!(await insertSession(db, row))) throw new Error(`The session ${to.id} exists twice`);
  for (const { table, column } of copiedTables) await copyTable(db, table, column, from, to);
  await copySlices(db, from, to);
}

/** Copies the rows of one table. A row that another session has replaced in the meantime is left out. */
async function copyTable(
  db: Db,
  table: StoredTable,
  sessionColumn: string,
  from: SessionRow,
  to: SessionRow,
): Promise<void> {
  const columns = Object.keys(getTable(table).columns);
  const values = columns.map((column) =>
    column === "game_id" || column === "account_id"
      ? sql`cast(${to[column]} as text)`
      : sql`${sql.ref(column)}`,
  );
  await sql`
    insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${sql.join(values)} from ${sql.table(table)}
    where game_id = ${from.game_id} and ${sql.ref(sessionColumn)} = ${from.id}
    on conflict do nothing
  `.execute(db);
}
