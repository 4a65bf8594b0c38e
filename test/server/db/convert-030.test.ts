/** Databases and archives of the last development version, whose schema came from thirty migrations. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { migrations } from "../../../src/server/db/migrations/index.ts";
import { tableNames } from "../../../src/server/db/tables.ts";
import { startService } from "../../../src/server/start.ts";
import { createEmptyDatabase, openBare, openTestStore, resolveDatabase } from "../../engine.ts";
import { createDatabase030, SCHEMA_030_KEY } from "../../fixtures/schema-030.ts";
import { freshFolder, NOW, send } from "../../harness.ts";
import { readSchema } from "./read-schema.ts";

const newFile = () => join(freshFolder(), "studio.db");

/** Creates a database with the thirty migrations, and returns its file name. */
async function createOlder(): Promise<string> {
  const file = newFile();
  await createDatabase030(file);
  return file;
}

/** Reads the names of the migrations of a database, and the number of its rows by table. */
async function readState(file: string) {
  const db = await openBare(await resolveDatabase(file));
  const names = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom("kysely_migration")
    .select("name")
    .orderBy("name")
    .execute();
  const rows: Record<string, number> = {};
  const existing = new Set((await db.introspection.getTables()).map(({ name }) => name));
  for (const table of tableNames.filter((name) => existing.has(name)))
    rows[table] = (await db.selectFrom(table).selectAll().execute()).length;
  await db.destroy();
  return { migrations: names.map(({ name }) => name), rows };
}

it("keeps all rows, and serves them with the same keys", async () => {
  const file = await createOlder();
  const before = await readState(file);
  const store = await openTestStore(file);
  const { app, stop } = await startService({ store, dependencies: { now: () => NOW } });
  const get = async (path: string) =>
    (await send(app, path, { headers: { authorization: `Bearer ${SCHEMA_030_KEY}` } })).json;
  expect((await get("/api/v1/games/ember-game")).counts).toEqual({
    sessionCount: 2,
    buildCount: 2,
    testerCount: 1,
  });
  expect((await get("/api/v1/sessions?game=ember-game")).total).toBe(2);
  expect((await get("/api/v1/insights?game=ember-game")).total).toBe(5);
  expect((await get("/api/v1/heatmaps/ember-game?source=unity-telemetry")).rooms).toHaveLength(1);
  expect((await get("/api/v1/feedback/ember-game")).total).toBe(1);
  await stop();
  const after = await readState(file);
  expect(before.migrations).toHaveLength(30);
  expect(after.migrations).toEqual(Object.keys(migrations));
  expect(after.rows).toMatchObject({ ...before.rows, secrets: after.rows.secrets });
});

it("gives a database the schema and the state of a new one", async () => {
  // Not one of the databases that tests on Postgres share, whose rows are deleted between tests.
  const empty = newFile();
  await createEmptyDatabase(empty);
  const [converted, created] = [await openTestStore(await createOlder()), await openTestStore(empty)];
  expect(await readSchema(converted.readDb)).toEqual(await readSchema(created.readDb));
  const versions = [converted, created].map(({ readDb }) =>
    readDb.selectFrom("program_versions").selectAll(),
  );
  const [first, second] = await Promise.all(versions.map((query) => query.execute()));
  expect(first).toEqual(second);
  for (const store of [converted, created]) await store.close();
});

it("refuses a database before the last of the thirty migrations, and does not change it", async () => {
  const file = await createOlder();
  const db = await openBare(await resolveDatabase(file));
  await db
    .withTables<{ kysely_migration: { name: string } }>()
    .deleteFrom("kysely_migration")
    .where("name", ">", "028")
    .execute();
  await db.destroy();
  const before = await readState(file);
  await expect(openTestStore(file)).rejects.toMatchObject({
    code: "unusable",
    message: expect.stringMatching(
      /^The database .+ is of an early development version of playtest \(migration 027-account-counts\)$/,
    ),
    hint: expect.stringMatching(/commit 3613cebd .+`playtest server export`.+import the archive/),
  });
  expect(await readState(file)).toEqual(before);
});

it("refuses a database of the thirty migrations that a newer version has updated", async () => {
  const file = await createOlder();
  const db = await openBare(await resolveDatabase(file));
  await db
    .withTables<{ kysely_migration: { name: string; timestamp: string } }>()
    .insertInto("kysely_migration")
    .values({ name: "999-future", timestamp: "2030-01-01" })
    .execute();
  await db.destroy();
  await expect(openTestStore(file)).rejects.toThrow(
    "newer version of playtest (unknown migrations: 999-future)",
  );
});
