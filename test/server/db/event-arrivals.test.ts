/** An upgrade gives the events of earlier versions the arrival of their session, and all of them are listed. */
import { join } from "node:path";
import { type Kysely, Migrator } from "kysely";
import { expect, it } from "vitest";
import type { RawEventPage } from "../../../src/contract/raw-events.ts";
import { migrations } from "../../../src/server/db/migrations/index.ts";
import type { Schema } from "../../../src/server/db/schema.ts";
import { createEmptyDatabase, openBare } from "../../engine.ts";
import { freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, sendTelemetry } from "../telemetry-helpers.ts";

const HOUR = 3600_000;
const TABLES = ["accounts", "keys", "games", "sessions", "event_batches", "position_chunks"] as const;

/** Copies the stored sessions into a new database of the version before the arrival of events was stored. */
async function createOlderDatabase(
  { service }: TestService,
  prepare: (db: Kysely<Schema>) => Promise<unknown>,
) {
  const database = join(freshFolder(), "play.db");
  const db = await openBare(await createEmptyDatabase(database));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  expect((await migrator.migrateTo("025-session-changes")).error).toBeUndefined();
  const tables = new Map((await db.introspection.getTables()).map(({ name, columns }) => [name, columns]));
  for (const table of TABLES) {
    const columns = (tables.get(table) ?? []).map(({ name }) => name);
    for (const row of await service.store.readDb.selectFrom(table).selectAll().execute()) {
      const values = Object.entries(row).filter(([name]) => columns.includes(name));
      await db
        .insertInto(table)
        .values(Object.fromEntries(values) as never)
        .execute();
    }
  }
  expect(tables.get("event_batches")?.map(({ name }) => name)).not.toContain("received_at");
  await prepare(db);
  await db.destroy();
  return database;
}

it("lists the events of earlier versions by the arrival of their session", async () => {
  const current = await startTestService();
  await current.addGame("maze");
  const send = async (service: TestService, session: string, names: readonly string[], first = 0) =>
    await sendTelemetry(service, {
      ...{ gameId: "maze", clientSessionId: session, deviceId: "d1" },
      events: createEvents(names, NOW).map((event, at) => ({ ...event, id: `${session}${first + at}` })),
    });
  const late = await send(current, "a", ["jump", "death"]);
  const early = await send(current, "b", ["jump"]);
  const unknown = await send(current, "c", ["jump"]);
  current.clock.now += HOUR;
  await send(current, "a", ["jump"], 2);
  await sendTelemetry(current, {
    ...{ gameId: "maze", clientSessionId: "b", deviceId: "d1" },
    events: [{ id: "b1", name: "player_pos", timestamp: NOW, data: { x: 1, y: 2, room: "hall" } }],
  });
  const database = await createOlderDatabase(current, async (db) => {
    const set = (id: string, values: { received_at: number | null; recorded_at: number }) =>
      db.updateTable("sessions").set(values).where("id", "=", id).execute();
    await set(late, { received_at: NOW - HOUR, recorded_at: NOW - 9 * HOUR });
    await set(early, { received_at: NOW - 2 * HOUR, recorded_at: NOW - HOUR });
    // Versions before 013 did not store the arrival of sessions either.
    await set(unknown, { received_at: null, recorded_at: NOW - 3 * HOUR });
  });
  await current.stop();

  const upgraded = await startTestService({ database, continues: current });
  await send(upgraded, "a", ["jump"], 3);
  const page: RawEventPage = (await upgraded.get("/api/v1/raw-events/maze")).json;
  expect(page.items.map(({ id, receivedAt }) => [id, receivedAt - NOW])).toEqual([
    ["c0", -3 * HOUR],
    ["b0", -2 * HOUR],
    ["b1", -2 * HOUR],
    ["a0", -HOUR],
    ["a1", -HOUR],
    ["a2", -HOUR],
    ["a3", HOUR],
  ]);
  expect(page.items[2]).toMatchObject({ room: "hall", x: 1, y: 2 });
  const since = (await upgraded.get(`/api/v1/raw-events/maze?from=${NOW}`)).json as RawEventPage;
  expect(since.items.map(({ id }) => id)).toEqual(["a3"]);
  expect(upgraded.faults).toEqual([]);
  await upgraded.stop();
});
