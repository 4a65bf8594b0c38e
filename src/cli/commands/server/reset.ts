/** server reset: removes the local database. */
import { existsSync, rmSync } from "node:fs";
import { ServiceError } from "../../../server/core/errors.ts";
import { describeDatabaseError, isPostgres, redactPassword } from "../../../server/db/open.ts";
import { openConnection } from "../../../server/db/sqlite.ts";
import { command } from "../../command.ts";
import { CliError, fail } from "../../errors.ts";
import { text, toggle } from "../../flags.ts";
import { askConfirm } from "../../prompts.ts";
import { databasePath } from "./local.ts";
import { runningServers } from "./registry.ts";

export const resetCommand = command({
  path: "server reset",
  summary: "Delete the local database and everything in it",
  args: [],
  flags: {
    database: text("--database <file>", "database file (default: in the user's state folder)"),
    yes: toggle("--yes", "delete without confirmation"),
  },
  examples: ["server reset --yes"],
  async run({ io }, { flags }) {
    const database = databasePath(io, flags.database);
    if (isPostgres(database)) {
      throw fail("usage", {
        message: `${redactPassword(database)} is on a server: only files are removed`,
        hint: "Drop it with Postgres' own dropdb.",
      });
    }
    const told = (removed: boolean, what: string) => ({
      data: { database, removed },
      view: () => `${what} ${database}.\n`,
    });
    if (!existsSync(database)) return told(false, "There is no");
    await requirePlaytestDatabase(database);
    const serving = (await runningServers(io)).find((server) => server.database === database);
    if (serving) {
      throw fail("locked", {
        message: `A server (process ${serving.pid}) is running on ${database}`,
        hint: "Stop it first.",
      });
    }
    if (!flags.yes && !(await askConfirm(io, `Remove ${database} and all play in it?`, "Add --yes.")))
      return told(false, "Kept");
    for (const suffix of ["", "-wal", "-shm"]) rmSync(database + suffix, { force: true });
    return told(true, "Removed");
  },
});

/** Throws `config` where the file is something else than a playtest database. */
async function requirePlaytestDatabase(database: string): Promise<void> {
  const refuse = (why: string) =>
    fail("config", {
      message: `${database} is not removed: ${why}`,
      hint: "Remove it by hand if you mean it.",
    });
  try {
    const connection = await openConnection(database, { durability: "FULL", readOnly: true });
    const tables = connection.prepare("select name from sqlite_master where name = 'position_chunks'").all();
    connection.close();
    if (tables.length === 0) throw refuse("it is not a playtest database");
  } catch (cause) {
    throw cause instanceof CliError || cause instanceof ServiceError
      ? cause
      : refuse(describeDatabaseError(cause));
  }
}
