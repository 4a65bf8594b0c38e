/** Checks the tables of a SQLite file for damage, and finds out whether rows or only indexes are damaged. Changes nothing. */
import { statSync } from "node:fs";
import { isCorrupt } from "./errors.ts";
import { openConnection, type SqliteConnection } from "./sqlite.ts";

/** What is damaged of a table. */
export interface TableDamage {
  readonly table: string;
  /** Whether rows are damaged. Otherwise, `REINDEX` repairs the table. */
  readonly hasDamagedRows: boolean;
  /** The damaged indexes, by name. */
  readonly indexes: readonly string[];
}

/** The table of all tables. Its check includes the list of free pages. */
export const SCHEMA_TABLE = "sqlite_schema";

/** A file up to this size is checked completely at start, which takes less than a second. */
const MAX_COMPLETE_BYTES = 64 * 1024 * 1024;
/** Further faults of a table say nothing new. */
const MAX_FAULTS = 100;

/** Runs `work` on a connection that only reads. */
export async function withReader<T>(file: string, work: (connection: SqliteConnection) => T): Promise<T> {
  const connection = await openConnection(file, { durability: "FULL", readOnly: true });
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/** The tables of a file, the schema first. If the schema is damaged, it is the only one. */
export function listCheckedTables(connection: SqliteConnection): string[] {
  try {
    const rows = connection.prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name",
    );
    return [SCHEMA_TABLE, ...rows.all().map(({ name }) => String(name))];
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return [SCHEMA_TABLE];
  }
}

/** Checks one table and its indexes. Returns null if nothing is damaged. */
export function checkTable(connection: SqliteConnection, table: string): TableDamage | null {
  const faults = listFaults(connection, "integrity_check", table);
  return faults.length === 0 ? null : locateDamage(connection, table, faults);
}

/**
 * Checks what a server can check before it starts: a small file completely, except for the order of its indexes, and of a
 * larger one the tree of each table down to its first and last row. Returns the first damaged table, or null.
 */
export async function checkQuickly(file: string): Promise<string | null> {
  const isSmall = statSync(file).size <= MAX_COMPLETE_BYTES;
  return await withReader(file, (connection) => {
    const isDamaged = (table: string) =>
      isSmall || table === SCHEMA_TABLE
        ? listFaults(connection, "quick_check", table, 1).length > 0
        : !isReadable(connection, `select min(rowid), max(rowid) from ${quoteName(table)} not indexed`);
    return listCheckedTables(connection).find(isDamaged) ?? null;
  });
}

/** Checks all tables of a file, one after the other. `onTable` may throw to end the check. */
export async function checkFile(
  file: string,
  onTable: (table: string) => Promise<void>,
): Promise<{ readonly tables: number; readonly damaged: readonly TableDamage[] }> {
  const tables = await withReader(file, listCheckedTables);
  const damaged: TableDamage[] = [];
  for (const table of tables) {
    await onTable(table);
    const damage = await withReader(file, (connection) => checkTable(connection, table));
    if (damage) damaged.push(damage);
  }
  return { tables: tables.length, damaged };
}

/** What a check of SQLite reports, as lines. Damage can also make the check itself fail. */
function listFaults(
  connection: SqliteConnection,
  check: "integrity_check" | "quick_check",
  table: string,
  max = MAX_FAULTS,
): string[] {
  try {
    // The limit of a check for a single table cannot be set, so its lines are read one by one.
    const lines: string[] = [];
    for (const row of connection.prepare(`pragma ${check}(${quoteName(table)})`).iterate()) {
      const text = String((row as Record<string, unknown>)[check]);
      if (text !== "ok") lines.push(...text.split("\n"));
      if (lines.length >= max) break;
    }
    return lines;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return [(error as Error).message];
  }
}

function locateDamage(connection: SqliteConnection, table: string, faults: readonly string[]): TableDamage {
  if (table === SCHEMA_TABLE) return { table, hasDamagedRows: true, indexes: [] };
  const rows = countRows(connection, `${quoteName(table)} not indexed`);
  const isNamed = (index: string) => faults.some((fault) => fault.split(/\s/).includes(index));
  const indexes = listIndexes(connection, table)
    .filter(({ name, where }) => {
      if (isNamed(name)) return true;
      const counted = countRows(connection, `${quoteName(table)} indexed by ${quoteName(name)}`, where);
      // If rows are damaged, an index may have more of them. That alone is not damage of the index.
      const expected = where === "" ? rows : null;
      return counted === null || (expected !== null && counted !== expected);
    })
    .map(({ name }) => name);
  const hasDamagedRows = rows === null || !areRowsReadable(connection, table) || indexes.length === 0;
  return { table, hasDamagedRows, indexes };
}

/** The number of rows; null if they cannot be counted. */
function countRows(connection: SqliteConnection, source: string, where = ""): number | null {
  try {
    // For a mere count(*), SQLite reads the smallest index, whatever the query says.
    const row = connection.prepare(`select sum(1) as rows from ${source} ${where}`).get();
    return Number((row as { rows: number }).rows);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return null;
  }
}

export interface IndexInfo {
  readonly name: string;
  /** The condition of a partial index, or an empty text. */
  readonly where: string;
}

export function listIndexes(connection: SqliteConnection, table: string): IndexInfo[] {
  const rows = connection
    .prepare("select name, sql from sqlite_schema where type = 'index' and tbl_name = ? order by name")
    .all(table) as { name: string; sql: string | null }[];
  return rows.map(({ name, sql }) => {
    const at = (sql ?? "").search(/\bwhere\b/i);
    return { name, where: at < 0 ? "" : (sql ?? "").slice(at) };
  });
}

/** Reads every value of a table, which includes the pages of long ones. */
function areRowsReadable(connection: SqliteConnection, table: string): boolean {
  return isReadable(connection, `select * from ${quoteName(table)} not indexed`);
}

function isReadable(connection: SqliteConnection, query: string): boolean {
  try {
    for (const _ of connection.prepare(query).iterate());
    return true;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return false;
  }
}

export const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`;
