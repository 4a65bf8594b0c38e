/** Servers that start together, and servers of two versions on one database. */
import { type Kysely, Migrator } from "kysely";
import { afterAll, afterEach, expect, it } from "vitest";
import { migrations } from "../../src/server/db/migrations/index.ts";
import { openStore } from "../../src/server/db/open.ts";
import { startTestService, type TestService } from "../harness.ts";
import { eventsOf } from "../server/telemetry-helpers.ts";
import { ownDatabase, runOn } from "./databases.ts";

let service: TestService | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

const drops: (() => Promise<unknown>)[] = [];

/** An empty database of its own: those that tests share would not be the same again. */
async function fresh(): Promise<string> {
  const { address, drop } = await ownDatabase();
  drops.push(drop);
  return address;
}

afterAll(async () => {
  for (const drop of drops) await drop();
});

it("makes its tables once where five servers start together on an empty database", async () => {
  const address = await fresh();
  const stores = await Promise.all(Array.from({ length: 5 }, () => openStore({ database: address })));
  for (const store of stores) await store.close();
  const { rows } = await runOn(address, "select name from kysely_migration order by name");
  expect(rows.map(({ name }: { name: string }) => name)).toEqual(Object.keys(migrations).sort());
});

it("goes on beside a newer version that has migrated, and does not start anew", async () => {
  const address = await fresh();
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
  const events = eventsOf(["start", "end"]);
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

it("refuses another program's database", async () => {
  const address = await fresh();
  await runOn(address, "create table books (title text)");
  await expect(openStore({ database: address })).rejects.toThrow("it is not a playtest database");
});

it("tells where it cannot get in, and no password", async () => {
  const failure = await openStore({ database: "postgres://jo:secret@127.0.0.1:1/play" }).catch(
    (error: Error) => error,
  );
  expect(String((failure as Error).message)).toMatch(
    /Cannot open the database postgres:\/\/jo@127\.0\.0\.1:1\/play: .*ECONNREFUSED/,
  );
  expect(JSON.stringify(failure)).not.toContain("secret");
});
