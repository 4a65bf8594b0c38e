/** server reset: deletes the local database. */
import { existsSync, rmSync } from "node:fs";
import { ServiceError } from "../../../server/core/errors.ts";
import { describeDatabaseError, isPostgres, redactPassword } from "../../../server/db/open.ts";
import { openConnection } from "../../../server/db/sqlite.ts";
import { command } from "../../command.ts";
import { CliError, fail } from "../../errors.ts";
import { text } from "../../flags.ts";
import { askConfirm, yesFlag } from "../../prompts.ts";
import { databasePath } from "./local.ts";
import { requireNoServer } from "./registry.ts";

/** The files of a SQLite database: the database itself, its write-ahead log and the index of the log. */
const DATABASE_FILES = ["", "-wal", "-shm"] as const;

export const resetCommand = command({
  path: "server reset",
  summary: "Delete the local database and everything in it",
  flags: {
    database: text("--database <file>", "database file (default: in the state folder)"),
    yes: yesFlag,
  },
  examples: ["server reset --yes --database old.db"],
  async run({ io }, { flags }) {
    const database = databasePath(io, flags.database);
    if (isPostgres(database)) {
      throw fail("usage", {
        message: `${redactPassword(database)} is a Postgres database; only database files can be deleted`,
        hint: "Use the `dropdb` command of Postgres.",
      });
    }
    if (database === ":memory:") {
      throw fail("usage", {
        message: "An in-memory database cannot be reset",
        hint: "Specify a database file with --database.",
      });
    }
    const result = (removed: boolean, message: string) => ({
      data: { database, removed },
      view: () => `${message}\n`,
    });
    if (!existsSync(database)) return result(false, `${database} does not exist.`);
    await requirePlaytestDatabase(database);
    await requireNoServer(io, database);
    if (!flags.yes && !(await askConfirm(io, `Delete ${database} and all its data?`, "Add --yes.")))
      return result(false, `${database} was not deleted.`);
    for (const suffix of DATABASE_FILES) rmSync(database + suffix, { force: true });
    return result(true, `Deleted ${database}.`);
  },
});

/** Throws `config` if the file is not a playtest database. */
async function requirePlaytestDatabase(database: string): Promise<void> {
  const invalidDatabase = (reason: string) =>
    fail("config", {
      message: `Cannot delete ${database}: ${reason}`,
      hint: "Check the path. To delete the file anyway, delete it by hand.",
    });
  try {
    const connection = await openConnection(database, { durability: "FULL", readOnly: true });
    const tables = connection.prepare("select name from sqlite_master where name = 'position_chunks'").all();
    connection.close();
    if (tables.length === 0) throw invalidDatabase("it is not a playtest database");
  } catch (cause) {
    throw cause instanceof CliError || cause instanceof ServiceError
      ? cause
      : invalidDatabase(describeDatabaseError(cause));
  }
}
