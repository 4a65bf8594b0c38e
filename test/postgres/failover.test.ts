/** A primary dies under load and its synchronous standby takes over: acknowledged events are stored once. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { decodeIds } from "../../src/server/telemetry/batch-codec.ts";
import { startTestService, type TestService } from "../harness.ts";
import { runOn } from "./databases.ts";
import { type Forwarder, startForwarder } from "./forwarder.ts";
import { type OwnPostgres, startOwnPostgres } from "./server.ts";

const BODIES = 120;
const EVENTS = 10;
const REPLICATION = ["wal_level=replica", "max_wal_senders=4"];

let primary: OwnPostgres;
let standby: OwnPostgres;
let address: Forwarder;
let service: TestService;

beforeAll(async () => {
  primary = await startOwnPostgres(REPLICATION);
  await primary.kill();
  standby = await startOwnPostgres(REPLICATION, primary);
  await primary.start();
  address = await startForwarder(primary.url);
  service = await startTestService({ store: await openStore({ database: address.url }) });
  await service.addGame("maze");
  await runOn(primary.url, "alter system set synchronous_standby_names = 'standby'");
  await runOn(primary.url, "select pg_reload_conf()");
  const findSynchronous = "select 1 from pg_stat_replication where sync_state = 'sync'";
  await vi.waitUntil(async () => (await runOn(primary.url, findSynchronous)).rowCount === 1, POLL);
});
afterAll(async () => {
  await service?.stop();
  await address?.stop();
  await standby?.stop();
  await primary?.stop();
});

const POLL = { timeout: 120_000, interval: 100 };

const createEvents = (n: number) =>
  Array.from({ length: EVENTS }, (_, at) => ({
    id: `e${n * EVENTS + at}`,
    name: `step-${at % 3}`,
    timestamp: 1_772_000_000_000 + n,
  }));

it("refuses to serve from a standby, and exports from it", async () => {
  await expect(openStore({ database: standby.url })).rejects.toThrow("is a standby, which is read-only");
  await expect
    .poll(async () => (await runOn(standby.url, "select slug from games")).rows, POLL)
    .toEqual([{ slug: "maze" }]);
  const store = await openStore({ database: standby.url, mustExist: true, allowsReadOnly: true });
  expect(await store.read((db) => db.selectFrom("games").select("slug").execute())).toEqual([
    { slug: "maze" },
  ]);
  await store.close();
});

it("neither loses nor duplicates events when the synchronous standby takes over", async () => {
  const statuses = new Set<number>();
  let acknowledged = 0;
  const post = async (n: number) => {
    for (;;) {
      const body = { gameId: "maze", clientSessionId: `s${n % 6}`, events: createEvents(n) };
      const { status } = await service.post("/api/telemetry", body);
      statuses.add(status);
      if (status === 202) break;
      expect(status, String(service.faults.at(-1))).toBe(503);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    acknowledged += 1;
  };
  let next = 0;
  const lanes = Array.from({ length: 4 }, async () => {
    for (let n = next++; n < BODIES; n = next++) await post(n);
  });
  await expect.poll(() => acknowledged, { ...POLL, interval: 1 }).toBeGreaterThan(BODIES / 3);
  await primary.kill();
  // The address first leads to a standby, which cannot store anything yet.
  address.redirect(standby.url);
  await expect.poll(() => statuses.has(503), POLL).toBe(true);
  await runOn(standby.url, "select pg_promote()");
  await Promise.all(lanes);
  const batches = await service.service.store.readDb.selectFrom("event_batches").selectAll().execute();
  const ids = batches.flatMap((batch) => decodeIds(batch));
  expect([ids.length, new Set(ids).size]).toEqual([BODIES * EVENTS, BODIES * EVENTS]);
});
