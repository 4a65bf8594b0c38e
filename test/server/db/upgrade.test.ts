/** Upgrades of databases and archives of the first release, and the copy that an upgrade makes first. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrations } from "../../../src/server/db/migrations/index.ts";
import { openStore, type Store, type Upgrade } from "../../../src/server/db/open.ts";
import { loadDriver } from "../../../src/server/db/sqlite.ts";
import { startService } from "../../../src/server/start.ts";
import { version } from "../../../src/shared/version.generated.ts";
import { FIRST_RELEASE_KEY, writeFirstDatabase } from "../../fixtures/first-release.ts";
import { freshFolder, NOW, send } from "../../harness.ts";

/** Opens a database file, and returns it with the upgrades that were reported. */
async function open(database: string): Promise<{ store: Store; upgrades: Upgrade[] }> {
  const upgrades: Upgrade[] = [];
  const onUpgrade = async (upgrade: Upgrade) => void upgrades.push(upgrade);
  return { store: await openStore({ database, onUpgrade }), upgrades };
}

/** Runs a query on a database file without changing the file. */
async function query(file: string, text: string): Promise<Record<string, unknown>[]> {
  const { DatabaseSync } = (await loadDriver()).driver;
  const connection = new DatabaseSync(file, { readOnly: true });
  const rows = connection.prepare(text).all() as Record<string, unknown>[];
  connection.close();
  return rows.map((row) => ({ ...row }));
}

test("a database of the first release is upgraded, and serves its data with its own keys", async () => {
  const file = join(freshFolder(), "studio.db");
  writeFirstDatabase(file);
  const { store } = await open(file);
  const { app, stop } = await startService({ store, dependencies: { now: () => NOW } });
  const get = async (path: string) =>
    (await send(app, path, { headers: { authorization: `Bearer ${FIRST_RELEASE_KEY}` } })).json;
  expect((await get("/api/v1/games")).games).toMatchObject([{ slug: "ember" }]);
  expect((await get("/api/v1/sessions?game=ember")).total).toBe(4);
  expect((await get("/api/v1/insights?game=ember")).total).toBe(6);
  expect((await get("/api/v1/heatmaps/ember?source=typescript-telemetry")).rooms).toHaveLength(2);
  expect((await get("/api/v1/games/ember/experiments")).experiments).toHaveLength(1);
  await stop();
});

test("an upgrade first copies the database, with its old schema and all rows", async () => {
  const folder = freshFolder();
  const file = join(folder, "studio.db");
  writeFirstDatabase(file);
  const first = await open(file);
  await first.store.close();
  const copy = `${file}.schema-012.bak`;
  expect(first.upgrades).toEqual([{ location: file, copy }]);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(await query(copy, "select count(*) as rows from kysely_migration")).toEqual([{ rows: 12 }]);
  expect(await query(copy, "select count(*) as rows from sessions")).toEqual([{ rows: 4 }]);
  expect(await query(file, "select id, version from program_versions")).toEqual([{ id: 1, version }]);
  // The next start upgrades nothing and leaves the copy alone.
  const before = readFileSync(copy);
  const second = await open(file);
  await second.store.close();
  expect([second.upgrades, readFileSync(copy).equals(before)]).toEqual([[], true]);
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("an upgrade replaces the unfinished copy of a killed upgrade", async () => {
  const folder = freshFolder();
  const file = join(folder, "studio.db");
  writeFirstDatabase(file);
  writeFileSync(`${file}.schema-012.bak.tmp`, "half");
  const { store, upgrades } = await open(file);
  await store.close();
  expect(upgrades).toHaveLength(1);
  expect(existsSync(`${file}.schema-012.bak.tmp`)).toBe(false);
});

test("a database is not upgraded if it cannot be copied", async () => {
  const file = join(freshFolder(), "studio.db");
  writeFirstDatabase(file);
  // A folder with the name of the copy prevents the rename.
  mkdirSync(join(`${file}.schema-012.bak`, "full"), { recursive: true });
  await expect(open(file)).rejects.toMatchObject({ code: "unusable" });
  expect(await query(file, "select count(*) as rows from kysely_migration")).toEqual([{ rows: 12 }]);
});

test("an older program names the version that a database needs", async () => {
  const file = join(freshFolder(), "studio.db");
  const { store } = await open(file);
  await store.writeDb.updateTable("program_versions").set({ version: "9.2.0" }).execute();
  await store.writeDb
    .withTables<{ kysely_migration: { name: string; timestamp: string } }>()
    .insertInto("kysely_migration")
    .values({ name: "999-future", timestamp: "2030-01-01" })
    .execute();
  await store.close();
  await expect(open(file)).rejects.toMatchObject({
    code: "unusable",
    message: `The database ${file} needs playtest 9.2.0 or newer, but this is playtest ${version} (unknown migrations: 999-future)`,
  });
});

test("a failed upgrade changes nothing, also not the stored version", async () => {
  const file = join(freshFolder(), "studio.db");
  writeFirstDatabase(file);
  const { DatabaseSync } = (await loadDriver()).driver;
  const connection = new DatabaseSync(file);
  connection.exec("create table arrivals (other text)");
  connection.close();
  await expect(open(file)).rejects.toThrow();
  const tables = await query(file, "select name from sqlite_schema where name = 'program_versions'");
  expect(tables).toEqual([]);
  expect(Object.keys(migrations).length).toBeGreaterThan(12);
});

test("a command that only reads refuses an empty file and does not change it", async () => {
  const file = join(freshFolder(), "studio.db");
  writeFileSync(file, "");
  await expect(openStore({ database: file, mustExist: true })).rejects.toMatchObject({
    message: `The database ${file} is empty`,
  });
  expect(statSync(file).size).toBe(0);
});
