/** Kills restores, backups and imports at random moments: the old or the new database is in place, and the next run works. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listBackups } from "../../src/server/backups/backup-files.ts";
import { openStore } from "../../src/server/db/open.ts";
import { openConnection } from "../../src/server/db/sqlite.ts";
import { playtest } from "../cli/program.ts";
import { releaseDatabases } from "../collect-garbage.ts";
import { freshFolder } from "../harness.ts";
import { seed } from "../property.ts";
import { createRandom } from "../random.ts";
import { databaseIn } from "../server/real-server.ts";
import { killAt, type Moment } from "./kill-process.ts";
import { checkIntegrity } from "./send-events.ts";

const IS_LONG = process.env.PLAYTEST_FAULTS === "long";
const KILLS = IS_LONG ? 200 : 10;
/** Rows of the old database, so that the copy takes a while. */
const ROWS = 20_000;

/** Adds rows to a database. */
async function fill(database: string, name: string, rows: number): Promise<void> {
  const store = await openStore({ database, durability: "NORMAL" });
  const { id } = await store.readDb.selectFrom("accounts").select("id").executeTakeFirstOrThrow();
  await store.write(async (db) => {
    for (let first = 0; first < rows; first += 100)
      await db
        .insertInto("embeddings")
        .values(
          Array.from({ length: Math.min(100, rows - first) }, (_, at) => ({
            account_id: id,
            hash: `${name}-${first + at}`,
            vector: new Uint8Array(800),
            created_at: 0,
          })),
        )
        .execute();
  });
  await store.close();
}

/** Opens a database like the service, and counts its rows. */
async function countRows(database: string): Promise<number> {
  const store = await openStore({ database, mustExist: true });
  const rows = await store.readDb.selectFrom("embeddings").select("hash").execute();
  await store.close();
  return rows.length;
}

/** Counts the rows of a backup without changing it. */
async function countBackupRows(file: string): Promise<number> {
  const connection = await openConnection(file, { durability: "NORMAL", readOnly: true });
  const rows = connection.prepare("select hash from embeddings").all();
  connection.close();
  return rows.length;
}

it(
  `a restore, killed ${KILLS} times, leaves the old or the new database (PLAYTEST_SEED=${seed})`,
  async () => {
    const random = createRandom(seed);
    const folder = freshFolder();
    const database = databaseIn(folder);
    const run = async (...argv: string[]) => {
      const result = await playtest([...argv, "--database", database]);
      expect([argv, result.exitCode, result.stderr]).toEqual([argv, 0, expect.any(String)]);
    };
    await run("admin", "games", "create", "maze");
    await fill(database, "old", ROWS);
    await run("server", "backup", "--out", join(folder, "backups"));
    await fill(database, "new", 500);
    const allowed = [ROWS, ROWS + 500];
    const restore = () =>
      playtest(["server", "restore", join(folder, "backups"), "--database", database, "--yes"]);
    const restoreUndisturbed = async () => {
      await releaseDatabases();
      const { exitCode, stderr } = await restore();
      expect([exitCode, stderr]).toEqual([0, ""]);
    };
    const started = performance.now();
    await restoreUndisturbed();
    const durationMs = performance.now() - started;
    let [killed, replaced] = [0, 0];
    for (let nth = 0; nth < KILLS; nth += 1) {
      // Every round begins with more rows than the backup has.
      if ((await countRows(database)) === ROWS) await fill(database, `round-${nth}`, 500);
      const moment: Moment =
        random() < 0.5
          ? { folder, event: 1 + Math.floor(random() * 30) }
          : { ms: (0.2 + random() * 0.9) * durationMs };
      await releaseDatabases();
      const result = await killAt(restore(), moment);
      if (result.signal === "SIGKILL") killed += 1;
      // The first connection rolls back what was interrupted, which a read-only connection cannot do.
      const rows = await countRows(database);
      expect(allowed).toContain(rows);
      expect(await checkIntegrity(database)).toBe("ok");
      if (result.exitCode === 0) expect(rows).toBe(ROWS);
      if (result.signal === "SIGKILL" && rows === ROWS) replaced += 1;
    }
    await restoreUndisturbed();
    expect(await countRows(database)).toBe(ROWS);
    const leftOver = readdirSync(folder).filter((name) => /restore\.(tmp|lock)/.test(name));
    expect(leftOver).toEqual([]);
    // Every old database that a restore has kept is whole.
    for (const name of readdirSync(folder).filter((kept) => /before-restore-\w+$/.test(kept)))
      expect(await checkIntegrity(join(folder, name))).toBe("ok");
    expect(killed).toBeGreaterThan(0);
    expect(replaced).toBeLessThanOrEqual(killed);
  },
  120_000 + KILLS * 10_000,
);

it(
  `a backup, killed ${KILLS} times, never counts or leaves an unfinished one (PLAYTEST_SEED=${seed})`,
  async () => {
    const random = createRandom(seed);
    const folder = freshFolder();
    const database = databaseIn(folder);
    expect((await playtest(["admin", "games", "create", "maze", "--database", database])).exitCode).toBe(0);
    await fill(database, "old", ROWS);
    const backups = join(folder, "backups");
    const backUp = () =>
      playtest(["server", "backup", "--database", database, "--out", backups, "--keep", "2"]);
    const started = performance.now();
    expect((await backUp()).exitCode).toBe(0);
    const durationMs = performance.now() - started;
    for (let nth = 0; nth < KILLS; nth += 1) {
      await killAt(backUp(), { ms: (0.2 + random() * 0.9) * durationMs });
      const listed = await listBackups(backups);
      expect(listed.length).toBeGreaterThan(0);
      for (const { path, bytes } of listed) {
        expect(statSync(path).size).toBe(bytes);
        expect(await countBackupRows(path)).toBe(ROWS);
      }
    }
    expect((await backUp()).exitCode).toBe(0);
    const names = readdirSync(backups);
    expect(names.filter((name) => name.endsWith(".db"))).toHaveLength(2);
    expect(names.filter((name) => name.endsWith(".json"))).toHaveLength(2);
    expect(names.filter((name) => name.includes(".tmp") || name.endsWith(".lock"))).toEqual([]);
  },
  120_000 + KILLS * 10_000,
);

it(
  `an import, killed ${KILLS} times, continues until the database is complete (PLAYTEST_SEED=${seed})`,
  async () => {
    const random = createRandom(seed);
    const folder = freshFolder();
    const database = databaseIn(folder);
    const archive = join(folder, "a.gz");
    expect((await playtest(["admin", "games", "create", "maze", "--database", database])).exitCode).toBe(0);
    await fill(database, "old", ROWS);
    const exported = await playtest(["server", "export", archive, "--database", database, "--json"]);
    const { tables } = JSON.parse(String(exported.stdout));
    const importTo = (target: string) =>
      playtest(["server", "import", archive, "--database", target, "--json"]);
    const started = performance.now();
    const undisturbed = await importTo(join(folder, "whole.db"));
    const durationMs = performance.now() - started;
    expect(JSON.parse(String(undisturbed.stdout)).tables).toEqual(tables);
    let [target, continued] = [join(folder, "0.db"), 0];
    for (let nth = 0; nth < KILLS; nth += 1) {
      const result = await killAt(importTo(target), { ms: (0.2 + random() * 0.6) * durationMs });
      if (String(result.stderr).includes("continuing after line")) continued += 1;
      if (result.exitCode === 0) {
        expect(JSON.parse(String(result.stdout)).tables).toEqual(tables);
        target = join(folder, `${nth + 1}.db`);
        continue;
      }
      const { exitCode, stderr } = await playtest(["server", "export", "-", "--database", target]);
      // Before the first row is stored, the database is missing or empty.
      expect([exitCode, stderr]).toEqual([
        3,
        expect.stringMatching(/is incomplete|no accounts|does not exist|empty/),
      ]);
    }
    const last = await importTo(target);
    expect([last.exitCode, JSON.parse(String(last.stdout)).tables]).toEqual([0, tables]);
    expect(continued).toBeGreaterThan(0);
  },
  120_000 + KILLS * 10_000,
);
