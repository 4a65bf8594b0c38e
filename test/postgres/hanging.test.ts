/** A database that is slow, unreachable, or locked by a server that hangs: requests time out, and succeed again afterwards. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, expect, it } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { decodeIds } from "../../src/server/telemetry/batch-codec.ts";
import { serveRelay } from "../client/sockets.ts";
import { startTestService, type TestService } from "../harness.ts";
import { createEvents } from "../server/telemetry-helpers.ts";
import { ownDatabase, runOn } from "./databases.ts";
import { readNodes } from "./nodes.ts";

/** Statement timeout, ms. */
const TIMEOUT_MS = 1000;

const [server = ""] = readNodes();
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** Creates an empty database that no other test uses, and returns its URL. */
async function createDatabase(): Promise<string> {
  const { address, drop } = await ownDatabase();
  endings.push(drop);
  return address;
}

const openWithTimeout = (database: string) => openStore({ database, statementTimeoutMs: TIMEOUT_MS });

async function startServiceOn(database: string): Promise<TestService> {
  const service = await startTestService({ store: await openWithTimeout(database) });
  endings.push(() => service.stop());
  await service.addGame("maze");
  return service;
}

/** Runs a statement in a transaction that stays open, and returns its client. */
async function beginTransaction(address: string, statement: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address });
  client.on("error", () => {});
  await client.connect();
  await client.query("begin");
  await client.query(statement);
  endings.push(() => client.end());
  return client;
}

/** A promise that resolves when `open` is called. */
class Gate {
  open: () => void = () => {};
  readonly passed = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

const body = (session: string) => ({
  gameId: "maze",
  clientSessionId: session,
  events: createEvents(["start", "end"]),
});

it("an unreachable database returns 503 after the timeout, and is used again when it is reachable", async () => {
  const address = new URL(await createDatabase());
  const network = await serveRelay(address);
  endings.push(() => network.close());
  address.host = `127.0.0.1:${network.port}`;
  const service = await startServiceOn(address.href);
  expect((await service.post("/api/telemetry", body("before"))).status).toBe(202);
  network.interrupt();
  // More requests than the pool has connections.
  const requests = Array.from({ length: 16 }, (_, at) =>
    at % 2 === 0 ? service.get("/api/v1/sessions") : service.post("/api/telemetry", body(`cut-${at}`)),
  );
  for (const { status, headers } of await Promise.all(requests)) {
    expect([status, headers.get("retry-after")], String(service.faults.at(-1))).toEqual([503, "1"]);
  }
  network.restore();
  const list = await service.get("/api/v1/sessions");
  expect([list.status, list.json.items?.length], String(service.faults.at(-1))).toEqual([200, 1]);
  for (let at = 1; at < 16; at += 2) {
    expect((await service.post("/api/telemetry", body(`cut-${at}`))).status).toBe(202);
  }
  const batches = await service.service.store.readDb.selectFrom("event_batches").selectAll().execute();
  expect(batches.flatMap((batch) => decodeIds(batch))).toHaveLength(9 * 2);
});

it("connections stay open while they are idle for longer than the timeout", async () => {
  const { store } = (await startServiceOn(await createDatabase())).service;
  const query = store.readDb.selectNoFrom((eb) => eb.fn<number>("pg_backend_pid", []).as("pid"));
  const { pid } = await query.executeTakeFirstOrThrow();
  await sleep(TIMEOUT_MS * 2);
  const { rowCount } = await runOn(server, `select from pg_stat_activity where pid = ${pid}`);
  expect(rowCount).toBe(1);
});

it("a request that waits too long for a lock returns 503, and succeeds after the lock is released", async () => {
  const address = await createDatabase();
  const service = await startServiceOn(address);
  const holder = await beginTransaction(address, "lock table event_batches in access exclusive mode");
  const { status, headers } = await service.post("/api/telemetry", body("late"));
  expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
  await holder.query("rollback");
  const { status: later, json } = await service.post("/api/telemetry", body("late"));
  expect([later, json.accepted, json.duplicates]).toEqual([202, 2, 0]);
});

it("the transaction of a server that hangs is aborted, which releases its locks", async () => {
  const address = await createDatabase();
  const service = await startServiceOn(address);
  const hanging = await openWithTimeout(address);
  endings.push(() => hanging.close());
  const [locked, released] = [new Gate(), new Gate()];
  const change = hanging.write(async (db) => {
    await db.updateTable("games").set({ name: "Held" }).execute();
    locked.open();
    await released.passed;
  });
  change.catch(() => {});
  await locked.passed;
  const rename = () =>
    service.service.store.write((db) => db.updateTable("games").set({ name: "Free" }).execute());
  // The first attempt times out while it waits for the lock. A later one succeeds.
  await expect(rename()).rejects.toMatchObject({ code: "57014" });
  while (!(await rename().then(Boolean, () => false)));
  released.open();
  await expect(change).rejects.toThrow();
  const games = await service.get("/api/v1/games");
  expect(games.json.games.map(({ name }: { name: string }) => name)).toEqual(["Free"]);
});

it("migrations have no timeout", async () => {
  const address = await createDatabase();
  await (await openStore({ database: address })).close();
  const holder = await beginTransaction(address, "lock table kysely_migration in access exclusive mode");
  const opening = openWithTimeout(address);
  await sleep(TIMEOUT_MS * 3);
  await holder.query("rollback");
  await (await opening).close();
});
