/** server check: finds out which tables of a database file are damaged, and how to recover. */
import { rename } from "node:fs/promises";
import { renderTable } from "../../../render/table.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { salvageSqlite } from "../../../server/archive/salvage.ts";
import { nameWithTime } from "../../../server/backups/backup-files.ts";
import { isPostgres } from "../../../server/db/open.ts";
import { checkFile, type TableDamage } from "../../../server/db/sqlite-check.ts";
import { isSqliteFile, removeSqlite } from "../../../server/db/sqlite-copy.ts";
import { inspectSqlite } from "../../../server/db/sqlite-inspect.ts";
import { replaceSqlite } from "../../../server/db/sqlite-replace.ts";
import { command, createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { toggle } from "../../flags.ts";
import { chooseDatabase, requireDatabase } from "./choose-database.ts";
import { describeAll } from "./describe-damage.ts";
import { existingDatabaseFlag } from "./local.ts";
import { requireNoServer } from "./registry.ts";

const columns = defineColumns<TableDamage>({
  table: { header: "TABLE", tone: "strong" },
  rows: { header: "ROWS", value: ({ hasDamagedRows }) => (hasDamagedRows ? "damaged" : "intact") },
  indexes: { header: "DAMAGED INDEXES", value: ({ indexes }) => indexes.join(", "), shrink: 1 },
});

export const checkCommand = command({
  path: "server check",
  summary: "Check the local database for damage",
  details:
    "Reads the whole database file, which changes nothing and can take minutes, and names the damaged tables and " +
    "indexes. Servers can be running. If only indexes are damaged, --reindex writes them again from the rows, and keeps the old file. If " +
    "rows are damaged, restore a backup with `playtest server restore`, or save what can still be read with " +
    "`playtest server export --skip-damaged`. Exits with 10 if anything is damaged.",
  flags: {
    database: existingDatabaseFlag,
    reindex: toggle("--reindex", "write damaged indexes again; stop the server first"),
  },
  examples: ["server check", "server check --database studio.db --json"],
  finishesOnSignal: true,
  async run(context, { flags }) {
    const database = await chooseDatabase(context, flags.database);
    if (database === ":memory:" || isPostgres(database)) throw notAFile(database);
    await requireDatabase(context.io, database);
    if (flags.reindex) await requireNoServer(context.io, database);
    const found = await check(context, database);
    const indexes = found.damaged.flatMap((damage) => damage.indexes);
    if (!flags.reindex || indexes.length === 0 || hasDamagedRows(found.damaged))
      return report(database, found, null);
    const kept = await reindex(context, database);
    return report(database, await check(context, database), { indexes, kept });
  },
});

/**
 * Replaces the database with a copy of its rows and new indexes, because SQLite cannot remove the damaged pages of an index. The
 * old file is kept; returns its name.
 */
async function reindex(context: Context, database: string): Promise<string> {
  const { io } = context;
  const draft = `${database}.reindex.tmp`;
  const copy = `${draft}.copy`;
  const kept = nameWithTime(`${database}.before-reindex-`, io.now());
  try {
    await removeSqlite(copy);
    const { skipped, sessionsWithoutEvents } = await salvageSqlite(database, copy, {
      signal: io.signal,
      now: io.now(),
      onTable: (table) => context.progress(`Copying ${table}`),
    });
    if (skipped.length > 0 || sessionsWithoutEvents > 0) throw changedMeanwhile(database);
    await replaceSqlite({ target: database, kept, draft, build: () => rename(copy, draft) });
  } finally {
    await removeSqlite(copy);
  }
  return kept;
}

type Found = Awaited<ReturnType<typeof checkFile>>;

async function check(context: Context, database: string): Promise<Found> {
  if (!isSqliteFile(database)) await inspectSqlite(database);
  const found = await checkFile(database, async (table) => {
    context.io.signal.throwIfAborted();
    await context.progress(`Checking ${table}`);
  });
  if (found.damaged.length === 0) await inspectSqlite(database);
  return found;
}

const hasDamagedRows = (damaged: readonly TableDamage[]) => damaged.some((damage) => damage.hasDamagedRows);

interface Reindexed {
  readonly indexes: readonly string[];
  readonly kept: string;
}

function report(database: string, { tables, damaged }: Found, reindexed: Reindexed | null): Result {
  const note = reindexed
    ? ` Wrote the indexes again: ${reindexed.indexes.join(", ")}. The old database is in ${reindexed.kept}.`
    : "";
  const data = {
    database,
    tables,
    damaged,
    reindexed: reindexed?.indexes ?? [],
    kept: reindexed?.kept ?? null,
  };
  const table = createTable(damaged, columns, "No damage found.");
  if (damaged.length === 0)
    return { data, table, view: () => `No damage found in ${tables} tables of ${database}.${note}\n` };
  return {
    data,
    table,
    view: (options) => renderTable(damaged, columns, options),
    verdict: {
      code: "check_failed",
      message: describeAll(database, damaged),
      hint: hasDamagedRows(damaged)
        ? "Stop the server and restore a backup with `playtest server restore <backup>`, or save what can still be read with `playtest server export --skip-damaged <archive>`."
        : "No rows are lost. Stop the server, then run `playtest server check --reindex`.",
    },
  };
}

function changedMeanwhile(database: string): Error {
  return fail("config", {
    message: `Rows of ${database} cannot be read, although a check found no damage in them`,
    hint: "Stop all programs that use the file, check the disk, then run the command again.",
  });
}

function notAFile(database: string): Error {
  return database === ":memory:"
    ? fail("usage", {
        message: "An in-memory database cannot be checked",
        hint: "Specify a database file with --database.",
      })
    : fail("usage", {
        message: "server check only checks database files",
        hint: "Check a Postgres database with its own tools, such as pg_amcheck.",
      });
}
