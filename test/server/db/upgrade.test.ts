/** Upgrades of databases by a version with one more migration, and the copy that an upgrade makes first. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { migrations } from "../../../src/server/db/migrations/index.ts";
import { openStore, type Store, type Upgrade } from "../../../src/server/db/open.ts";
import { loadDriver } from "../../../src/server/db/sqlite.ts";
import { version } from "../../../src/shared/version.prepared.ts";
import { listTables, openBare, openTestStore, resolveDatabase } from "../../engine.ts";
import { writeFile030 } from "../../fixtures/schema-030.ts";
import { freshFolder, startTestService } from "../../harness.ts";
import { nextMigrations } from "./second-migration.ts";

/** Opens a database file, and returns it with the upgrades that were reported. */
async function open(
  database: string,
  known = nextMigrations,
): Promise<{ store: Store; upgrades: Upgrade[] }> {
  const upgrades: Upgrade[] = [];
  const onUpgrade = async (upgrade: Upgrade) => void upgrades.push(upgrade);
  return { store: await openStore({ database, migrations: known, onUpgrade }), upgrades };
}

/** Creates a database file of this version with a game. */
async function createFile(folder: string): Promise<string> {
  const database = join(folder, "studio.db");
  const service = await startTestService({ store: await openStore({ database }) });
  await service.addGame("ember");
  await service.stop();
  return database;
}

/** Runs a query on a database file without changing the file. */
async function query(file: string, text: string): Promise<Record<string, unknown>[]> {
  const { DatabaseSync } = (await loadDriver()).driver;
  const connection = new DatabaseSync(file, { readOnly: true });
  const rows = connection.prepare(text).all() as Record<string, unknown>[];
  connection.close();
  return rows.map((row) => ({ ...row }));
}

/** The number of the last migration of this version. */
const NUMBER = Object.keys(migrations).at(-1)?.slice(0, 3);

const countMigrations = "select count(*) as rows from kysely_migration";

test.each(["judged_testers", "judged_sessions"])(
  "gates with %s count judged sessions afterwards",
  async (column) => {
    const database = join(freshFolder(), "studio.db");
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "051"));
    const { store } = await open(database, earlier);
    if (column !== "judged_testers")
      await store.writeDb.schema.alterTable("gates").renameColumn("judged_testers", column).execute();
    await store.close();
    const upgraded = await open(database, migrations);
    const columns = await sql<{ name: string }>`pragma table_info(gates)`.execute(upgraded.store.readDb);
    expect(columns.rows.map(({ name }) => name).filter((name) => name.startsWith("judged"))).toEqual([
      "judged_sessions",
    ]);
    await upgraded.store.close();
  },
);

test("a newer version upgrades a database once, and keeps its rows", async () => {
  const database = join(freshFolder(), "studio.db");
  const service = await startTestService({ database });
  await service.addGame("ember");
  await service.stop();
  const upgrades: string[] = [];
  for (let time = 0; time < 2; time += 1) {
    const store = await openTestStore(database, {
      migrations: nextMigrations,
      onUpgrade: async ({ location }) => void upgrades.push(location),
    });
    const { rows } = await sql<object>`select slug, mood from games`.execute(store.readDb);
    expect(rows).toEqual([{ slug: "ember", mood: null }]);
    await store.close();
  }
  expect(upgrades).toHaveLength(1);
});

test("a failed migration changes nothing, and can be run again", async () => {
  const database = join(freshFolder(), "studio.db");
  await (await openTestStore(database)).close();
  const run = async (statement: string) => {
    const db = await openBare(await resolveDatabase(database));
    await sql.raw(statement).execute(db);
    await db.destroy();
  };
  const listColumns = async (store: Store) =>
    (await listTables(store)).find(({ name }) => name === "games")?.columns.map(({ name }) => name);
  await run("create index games_by_mood on games (name)");
  await expect(openTestStore(database, { migrations: nextMigrations })).rejects.toMatchObject({
    code: "unusable",
  });
  const before = await openTestStore(database);
  expect(await listColumns(before)).not.toContain("mood");
  await before.close();
  await run("drop index games_by_mood");
  const after = await openTestStore(database, { migrations: nextMigrations });
  expect(await listColumns(after)).toContain("mood");
  await after.close();
});

test("an upgrade first copies the database, with its old schema and all rows", async () => {
  const folder = freshFolder();
  const file = await createFile(folder);
  const first = await open(file);
  await first.store.close();
  const copy = `${file}.schema-${NUMBER}.bak`;
  expect(first.upgrades).toEqual([{ location: file, copy }]);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(await query(copy, countMigrations)).toEqual([{ rows: Object.keys(migrations).length }]);
  expect(await query(copy, "select slug from games")).toEqual([{ slug: "ember" }]);
  expect(await query(file, countMigrations)).toEqual([{ rows: Object.keys(nextMigrations).length }]);
  expect(await query(file, "select id, version from program_versions")).toEqual([{ id: 1, version }]);
  // The next start upgrades nothing and leaves the copy alone.
  const before = readFileSync(copy);
  const second = await open(file);
  await second.store.close();
  expect([second.upgrades, readFileSync(copy).equals(before)]).toEqual([[], true]);
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("the conversion of a development version first copies the database", async () => {
  const file = join(freshFolder(), "studio.db");
  writeFile030(file);
  const { store, upgrades } = await open(file, migrations);
  await store.close();
  const copy = `${file}.schema-030.bak`;
  expect(upgrades).toEqual([{ location: file, copy }]);
  expect(await query(copy, countMigrations)).toEqual([{ rows: 30 }]);
});

test("a database of a development version is converted and upgraded at once", async () => {
  const file = join(freshFolder(), "studio.db");
  writeFile030(file);
  const { store, upgrades } = await open(file);
  await store.close();
  expect(upgrades).toHaveLength(1);
  expect(await query(file, "select slug, mood from games")).toEqual([{ slug: "ember-game", mood: null }]);
});

test("an upgrade replaces the unfinished copy of a killed upgrade", async () => {
  const file = await createFile(freshFolder());
  writeFileSync(`${file}.schema-${NUMBER}.bak.tmp`, "half");
  const { store, upgrades } = await open(file);
  await store.close();
  expect(upgrades).toHaveLength(1);
  expect(existsSync(`${file}.schema-${NUMBER}.bak.tmp`)).toBe(false);
});

test("a database is not upgraded if it cannot be copied", async () => {
  const file = await createFile(freshFolder());
  // A folder with the name of the copy prevents the rename.
  mkdirSync(join(`${file}.schema-${NUMBER}.bak`, "full"), { recursive: true });
  await expect(open(file)).rejects.toMatchObject({ code: "unusable" });
  expect(await query(file, countMigrations)).toEqual([{ rows: Object.keys(migrations).length }]);
});

test("an older program names the version that a database needs", async () => {
  const file = join(freshFolder(), "studio.db");
  const { store } = await open(file, migrations);
  await store.writeDb.updateTable("program_versions").set({ version: "9.2.0" }).execute();
  await store.writeDb
    .withTables<{ kysely_migration: { name: string; timestamp: string } }>()
    .insertInto("kysely_migration")
    .values({ name: "999-future", timestamp: "2030-01-01" })
    .execute();
  await store.close();
  await expect(open(file, migrations)).rejects.toMatchObject({
    code: "unusable",
    message: `The database ${file} needs playtest 9.2.0 or newer, but this is playtest ${version} (unknown migrations: 999-future)`,
  });
});

test("a command that only reads refuses an empty file and does not change it", async () => {
  const file = join(freshFolder(), "studio.db");
  writeFileSync(file, "");
  await expect(openStore({ database: file, mustExist: true })).rejects.toMatchObject({
    message: `The database ${file} is empty`,
  });
  expect(statSync(file).size).toBe(0);
});
