/** Servers that start concurrently, and servers of different versions on one database. */
import { type Kysely, Migrator } from "kysely";
import { afterAll, afterEach, expect, it } from "vitest";
import { migrations } from "../../src/server/db/migrations/index.ts";
import { openStore } from "../../src/server/db/open.ts";
import { createPostgres030 } from "../fixtures/schema-030.ts";
import { startTestService, type TestService } from "../harness.ts";
import { createEvents } from "../server/telemetry-helpers.ts";
import { ownDatabase, runOn } from "./databases.ts";

let service: TestService | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

const drops: (() => Promise<unknown>)[] = [];

/** Creates a database for one test only, because these tests change the schema. Returns its URL. */
async function createDatabase(): Promise<string> {
  const { address, drop } = await ownDatabase();
  drops.push(drop);
  return address;
}

afterAll(async () => {
  for (const drop of drops) await drop();
});

it("five servers that start concurrently on an empty database run each migration once", async () => {
  const address = await createDatabase();
  const stores = await Promise.all(Array.from({ length: 5 }, () => openStore({ database: address })));
  for (const store of stores) await store.close();
  const { rows } = await runOn(address, "select name from kysely_migration order by name");
  expect(rows.map(({ name }: { name: string }) => name)).toEqual(Object.keys(migrations).sort());
});

it("five servers that start concurrently on a database of the last development version convert it once", async () => {
  const address = await createDatabase();
  await createPostgres030(address);
  const stores = await Promise.all(Array.from({ length: 5 }, () => openStore({ database: address })));
  const sessions = await Promise.all(
    stores.map(({ readDb }) => readDb.selectFrom("sessions").select("id").execute()),
  );
  expect(sessions.map((rows) => rows.length)).toEqual([2, 2, 2, 2, 2]);
  for (const store of stores) await store.close();
  const { rows } = await runOn(address, "select name from kysely_migration order by name");
  expect(rows.map(({ name }: { name: string }) => name)).toEqual(Object.keys(migrations).sort());
});

it.each([
  ["", "create table notes (text text)"],
  [
    " that also uses Kysely",
    "create table kysely_migration (name text primary key, timestamp text); create table notes (text text)",
  ],
])("a database of another program%s is refused and not changed", async (_, statements) => {
  const address = await createDatabase();
  await runOn(address, statements);
  const readTables = async () =>
    (await runOn(address, "select schemaname, tablename from pg_tables order by 1, 2")).rows;
  const before = await readTables();
  await expect(openStore({ database: address })).rejects.toMatchObject({
    code: "unusable",
    message: expect.stringMatching(/^Cannot open the database postgres:.+: it is not a playtest database$/),
  });
  expect(await readTables()).toEqual(before);
});

it("a server keeps working after a newer version has migrated the database, but cannot be started again", async () => {
  const address = await createDatabase();
  service = await startTestService({ store: await openStore({ database: address }) });
  await service.addGame("maze");
  const newer = {
    ...migrations,
    "999-newer": {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable("sessions").addColumn("mood", "text").execute();
        await db.schema.createIndex("sessions_by_mood").on("sessions").columns(["game_id", "mood"]).execute();
      },
    },
  };
  const { store } = service.service;
  const events = createEvents(["start", "end"]);
  const before = service.post("/api/telemetry", { gameId: "maze", clientSessionId: "a", events });
  const { error } = await new Migrator({
    db: store.writeDb,
    provider: { getMigrations: async () => newer },
  }).migrateToLatest();
  expect(error).toBeUndefined();
  const after = await service.post("/api/telemetry", { gameId: "maze", clientSessionId: "b", events });
  expect([(await before).status, after.status]).toEqual([202, 202]);
  expect((await service.get("/api/v1/sessions")).json.total).toBe(2);
  await expect(openStore({ database: address })).rejects.toThrow(
    "newer version of playtest (unknown migrations: 999-newer)",
  );
});

it("a database of another program is refused", async () => {
  const address = await createDatabase();
  await runOn(address, "create table books (title text)");
  await expect(openStore({ database: address })).rejects.toThrow("it is not a playtest database");
});

it("the error of a failed connection contains the URL without the password", async () => {
  const failure = await openStore({ database: "postgres://jo:secret@127.0.0.1:1/play" }).catch(
    (error: Error) => error,
  );
  expect(String((failure as Error).message)).toMatch(
    /Cannot open the database postgres:\/\/jo@127\.0\.0\.1:1\/play: .*ECONNREFUSED/,
  );
  expect(JSON.stringify(failure)).not.toContain("secret");
});
