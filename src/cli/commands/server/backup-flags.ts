/** The folder of backups, and the flags of a server that backs up its database regularly. */
import { join, resolve } from "node:path";
import { getBackupPrefix } from "../../../server/backups/backup-files.ts";
import type { BackupSettings } from "../../../server/backups/schedule.ts";
import { isPostgres } from "../../../server/db/open.ts";
import { createFolder } from "../../../shared/create-folder.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/time-units.ts";
import { fail } from "../../errors.ts";
import { fileErrorReasons } from "../../file-errors.ts";
import { withFileLock } from "../../file-lock.ts";
import { age, type FlagValues, integer, text } from "../../flags.ts";
import type { Io } from "../../io.ts";

/** The maximum of --keep-daily and --keep-weekly. */
const MAX_KEPT = 10_000;

export const backupFlags = {
  backupTo: text("--backup-to <folder>", "back up to this folder regularly, and check each backup"),
  backupEvery: age("--backup-every <age>", "time between two backups (default: 24h)"),
  keepDaily: integer(
    "--keep-daily <n>",
    "days of which the newest backup is kept (default: keep all)",
    0,
    MAX_KEPT,
  ),
  keepWeekly: integer("--keep-weekly <n>", "weeks of which the newest backup is kept", 0, MAX_KEPT),
} as const;

/** Creates the folder if it is missing. Undefined without --backup-to. Throws `usage` for a database without a file. */
export function toBackupSettings(
  io: Io,
  database: string,
  { backupTo, backupEvery = DAY_MS, keepDaily, keepWeekly }: FlagValues<typeof backupFlags>,
): BackupSettings | undefined {
  if (backupTo === undefined) return undefined;
  if (isPostgres(database) || database === ":memory:") {
    throw fail("usage", {
      message: "--backup-to only backs up database files",
      hint: "For Postgres, use pg_dump, what its host offers, or a job that runs `server backup`.",
    });
  }
  if (backupEvery < HOUR_MS)
    throw fail("usage", { message: "--backup-every must be at least one hour (1h)" });
  const folder = resolve(io.cwd, backupTo);
  createBackupFolder(folder, "--backup-to");
  const path = join(folder, `.${getBackupPrefix(database)}backup.lock`);
  const keepsAll = keepDaily === undefined && keepWeekly === undefined;
  return {
    folder,
    everyMs: backupEvery,
    keep: keepsAll ? null : { daily: keepDaily ?? 0, weekly: keepWeekly ?? 0 },
    lock: (work) => withFileLock(io, { path, work: "backup" }, work),
  };
}

/** Creates the folder if it is missing. Throws `config` if that fails. */
export function createBackupFolder(folder: string, flag: string): void {
  try {
    createFolder(folder, 0o700);
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    const reason = code === "EEXIST" ? "it is a file" : (fileErrorReasons[code] ?? message);
    throw fail("config", {
      message: `Cannot create the folder ${folder}: ${reason}`,
      hint: `Specify another folder with ${flag}.`,
      cause,
    });
  }
}
