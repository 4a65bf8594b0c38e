/** Copies the database file of a service in a worker, and checks the copy before it counts as a backup. */
import type { Task } from "../db/service.ts";
import { copySqlite } from "../db/sqlite-copy.ts";
import { inspectSqlite } from "../db/sqlite-inspect.ts";
import { tableNames } from "../db/tables.ts";
import { hashFile } from "./backup-files.ts";

/** Maximum duration, ms. A database of 100 GB on a slow disk takes less. */
const MAX_COPY_MS = 6 * 3_600_000;

interface CopyInput {
  /** A file that does not exist. */
  readonly target: string;
}

/** What the manifest of a backup says about it. */
interface CheckedCopy {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

export const copyDatabaseTask: Task<CopyInput, CheckedCopy> = {
  name: "copy-database",
  lane: "upkeep",
  maxMs: MAX_COPY_MS,
  async run({ store }, { target }) {
    const counts = await copySqlite(store.location, target);
    await inspectSqlite(target);
    const rows = tableNames.reduce((total, table) => total + (counts[table] ?? 0), 0);
    return { rows, ...(await hashFile(target, new AbortController().signal)) };
  },
};
