/** Deletes the database file that a failed command has created, if nothing was stored in it. */
import { rm } from "node:fs/promises";
import { hasAnyKey } from "../../../server/accounts/key-queries.ts";
import { openStore } from "../../../server/db/open.ts";
import { hasSessions } from "../../../server/sessions/queries.ts";
import type { Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { isMissingFile } from "./local.ts";

/** The files of a SQLite database: the database itself, its write-ahead log and the index of the log. */
export const DATABASE_FILES = ["", "-wal", "-shm"] as const;

/**
 * Runs work that opens a database, and closes it again. If the work fails, or succeeds with a verdict, and has created the
 * database without storing anything, the file is deleted: an empty database looks as if the data were lost.
 */
export async function discardingEmptyDatabase(
  context: Context,
  database: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const isNew = isMissingFile(database);
  let isComplete = false;
  try {
    const result = await work();
    isComplete = result.verdict === undefined;
    return result;
  } finally {
    if (isNew && !isComplete && !isMissingFile(database) && (await isEmpty(database).catch(() => false))) {
      for (const suffix of DATABASE_FILES) await rm(database + suffix, { force: true });
      await context.notify(`Deleted the new database ${database} again, because nothing was imported.`);
    }
  }
}

/** Whether a database has no session and no key. A server that was started on it in the meantime has created keys. */
async function isEmpty(database: string): Promise<boolean> {
  const store = await openStore({ database });
  try {
    return !(await hasSessions(store.readDb)) && !(await hasAnyKey(store.readDb));
  } finally {
    await store.close();
  }
}
