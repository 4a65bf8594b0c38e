/** A database that a killed process left in the middle of a transaction. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../../src/server/db/open.ts";
import { inspectSqlite } from "../../../src/server/db/sqlite-inspect.ts";
import { releaseDatabases } from "../../collect-garbage.ts";
import { freshFolder } from "../../harness.ts";

/** Writes more than the cache holds without a write-ahead log, and dies before the commit. */
const KILLED = `
  const { DatabaseSync } = require("@photostructure/sqlite");
  const db = new DatabaseSync(process.argv[1]);
  db.exec("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 5; BEGIN EXCLUSIVE; CREATE TABLE filler (data)");
  for (let n = 0; n < 500; n += 1) db.exec("INSERT INTO filler VALUES (randomblob(500))");
  process.kill(process.pid, "SIGKILL");
`;

test("a read-only look rolls back what a killed process has left", async () => {
  const database = join(freshFolder(), "play.db");
  await (await openStore({ database })).close();
  // The driver closes the file only with its last statement.
  await releaseDatabases();
  const { signal, stderr } = spawnSync(process.execPath, ["-e", KILLED, database], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  expect([stderr, signal, existsSync(`${database}-journal`)]).toEqual(["", "SIGKILL", true]);
  expect(await inspectSqlite(database)).toEqual({ games: 0 });
  expect(existsSync(`${database}-journal`)).toBe(false);
});
