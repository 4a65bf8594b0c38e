/** Copies what can still be read of a damaged database file to a new file, so that it can be exported. */
import { closeSync, openSync } from "node:fs";
import { ServiceError } from "../core/errors.ts";
import { openStore } from "../db/open.ts";
import { loadDriver, type SqliteConnection } from "../db/sqlite.ts";
import { checkTable, listIndexes, quoteName, SCHEMA_TABLE } from "../db/sqlite-check.ts";
import { removeSqlite } from "../db/sqlite-copy.ts";
import { type StoredTable, storedTables, type TableName } from "../db/tables.ts";
import type { ArchiveValue } from "./archive-queries.ts";
import { findRowFault } from "./check-rows.ts";
import { dropIncompleteSessions } from "./salvage-sessions.ts";

/** What could not be copied of a table. */
interface SkippedRows {
  readonly table: string;
  /** Null if nothing shows how many rows the table had. */
  readonly rows: number | null;
}

export interface Salvage {
  readonly skipped: readonly SkippedRows[];
  /** Sessions that keep their results, but whose events were removed because some of them cannot be read. */
  readonly sessionsWithoutEvents: number;
}

interface SalvageOptions {
  readonly signal: AbortSignal;
  /** The current time, unix ms. */
  readonly now: number;
  onTable(table: string): Promise<void>;
}

/** Copies the readable rows of a file to `target`, which does not exist yet. Throws `unusable` if its schema is damaged. */
export async function salvageSqlite(
  file: string,
  target: string,
  { signal, now, onTable }: SalvageOptions,
): Promise<Salvage> {
  const { DatabaseSync } = (await loadDriver()).driver;
  const source = new DatabaseSync(file, { readOnly: true });
  closeSync(openSync(target, "wx", 0o600));
  const copy = new DatabaseSync(target);
  try {
    requireSchema(source, file);
    const schema = source
      .prepare(
        "select type, name, sql from sqlite_schema where sql is not null and name not like 'sqlite\\_%' escape '\\'",
      )
      .all() as { type: string; name: string; sql: string }[];
    copy.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = OFF; BEGIN");
    const tables = schema.filter(({ type }) => type === "table");
    for (const { sql } of tables) copy.exec(sql);
    const skipped: SkippedRows[] = [];
    for (const { name } of tables) {
      signal.throwIfAborted();
      await onTable(name);
      const rows = copyRows(source, copy, name);
      if (rows !== 0) skipped.push({ table: name, rows });
    }
    for (const { type, sql } of schema) if (type !== "table") copy.exec(sql);
    copy.exec("COMMIT");
    copy.close();
    return { skipped, sessionsWithoutEvents: await settle(target, now) };
  } catch (error) {
    await removeSqlite(target);
    throw error;
  } finally {
    source.close();
  }
}

function requireSchema(source: SqliteConnection, file: string): void {
  if (checkTable(source, SCHEMA_TABLE) === null) return;
  throw new ServiceError("unusable", {
    message: `The list of tables of the database ${file} is damaged, so none of them can be read`,
    hint: "Restore a backup with `playtest server restore <backup>`.",
  });
}

async function settle(target: string, now: number): Promise<number> {
  const store = await openStore({ database: target, durability: "OFF", copiesBeforeUpgrade: false });
  try {
    return await store.serializable((db) => dropIncompleteSessions(db, now));
  } finally {
    await store.close();
  }
}

type SourceRow = Readonly<Record<string, ArchiveValue>>;

/** The name under which rows are read with their row id. */
const ROW_ID = "playtest_rowid";

/** Copies the rows of a table. Returns how many are missing; null if nothing shows that. */
function copyRows(source: SqliteConnection, copy: SqliteConnection, table: string): number | null {
  const columns = (copy.prepare(`pragma table_info(${quoteName(table)})`).all() as { name: string }[]).map(
    ({ name }) => name,
  );
  const names = columns.map(quoteName).join(", ");
  // What an index no longer keeps apart can be there twice.
  const insert = copy.prepare(
    `insert or ignore into ${quoteName(table)} (${names}) values (${columns.map(() => "?").join(", ")})`,
  );
  const reader = new RowReader(source, table);
  let copied = 0;
  let refused = 0;
  for (const row of reader.read()) {
    const values = columns.map((name) => row[name] ?? null);
    const isValid = !isKnown(table) || findRowFault(table as TableName, columns, values) === null;
    if (isValid && insert.run(...values).changes > 0) copied += 1;
    else refused += 1;
  }
  if (!reader.hasFailed) return refused;
  const total = reader.countRows();
  return total === null ? null : Math.max(0, total - copied);
}

const isKnown = (table: string): boolean => storedTables.includes(table as StoredTable);

/** Reads the rows of a table in the order of their row ids, and leaves out what cannot be read. */
class RowReader {
  readonly #source: SqliteConnection;
  readonly #table: string;
  /** The row ids by an index; undefined if they were not needed yet, and null if no index can be read. */
  #ids: readonly number[] | null | undefined;
  hasFailed = false;

  constructor(source: SqliteConnection, table: string) {
    this.#source = source;
    this.#table = table;
  }

  *read(): Generator<SourceRow> {
    let after = -1;
    for (;;) {
      try {
        for (const row of this.#select("> ? order by rowid").iterate(after)) {
          after = Number((row as SourceRow)[ROW_ID]);
          yield row as SourceRow;
        }
        return;
      } catch {
        // Also a bad sector of the disk, and a number that no program has stored.
        this.hasFailed = true;
        const next = this.#findReadable(after);
        if (next === null) return;
        // A scan that begins before this row would fail again, so the row is read alone.
        yield next;
        after = Number(next[ROW_ID]);
      }
    }
  }

  /** The number of rows by an index; null if no index can be read. */
  countRows(): number | null {
    return this.#listIds()?.length ?? null;
  }

  #select(condition: string) {
    return this.#source.prepare(
      `select rowid as ${ROW_ID}, * from ${quoteName(this.#table)} not indexed where rowid ${condition}`,
    );
  }

  /** The next row after a damaged part; null if there is none. */
  #findReadable(after: number): SourceRow | null {
    const ids = this.#listIds();
    if (ids) {
      for (const id of ids) {
        const row = id > after ? this.#tryRead(id) : null;
        if (row?.[ROW_ID] === id) return row;
      }
      return null;
    }
    for (let step = 1; after + step < Number.MAX_SAFE_INTEGER; step *= 2) {
      const row = this.#tryRead(after + step);
      if (row !== null) return row ?? null;
    }
    return null;
  }

  /** The first row at or after an id; undefined at the end, and null if it cannot be read. */
  #tryRead(from: number): SourceRow | undefined | null {
    try {
      return this.#select(">= ? order by rowid limit 1").get(from) as SourceRow | undefined;
    } catch {
      return null;
    }
  }

  #listIds(): readonly number[] | null {
    this.#ids ??= this.#readIds();
    return this.#ids;
  }

  /** The row ids of the first complete index that can be read. */
  #readIds(): readonly number[] | null {
    for (const { name, where } of listIndexes(this.#source, this.#table)) {
      if (where !== "") continue;
      try {
        const rows = this.#source
          .prepare(`select rowid as id from ${quoteName(this.#table)} indexed by ${quoteName(name)}`)
          .all() as { id: number }[];
        return rows.map(({ id }) => id).sort((a, b) => a - b);
      } catch {
        // The next index may be readable.
      }
    }
    return null;
  }
}
