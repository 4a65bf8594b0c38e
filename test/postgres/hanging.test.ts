/** A database that takes long, says nothing, or is held by a server that hangs: requests end, and go on with it. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, expect, it } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { decodeIds } from "../../src/server/telemetry/batch-codec.ts";
import { serveRelay } from "../client/sockets.ts";
import { startTestService, type TestService } from "../harness.ts";
import { eventsOf } from "../server/telemetry-helpers.ts";
import { ownDatabase, runOn } from "./databases.ts";

/** How long statements may take here, ms. */
const ANSWER_WITHIN = 1000;

const server = process.env.PLAYTEST_TEST_POSTGRES ?? "";
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** An empty database of its own. */
async function fresh(): Promise<string> {
  const { address, drop } = await ownDatabase();
  endings.push(drop);
  return address;
}

const opened = (database: string) => openStore({ database, statementTimeoutMs: ANSWER_WITHIN });

async function serviceOn(database: string): Promise<TestService> {
  const service = await startTestService({ store: await opened(database) });
  endings.push(() => service.stop());
  await service.addGame("maze");
  return service;
}

/** A client that holds what it has locked until its transaction ends. */
async function holding(address: string, statement: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address });
  client.on("error", () => {});
  await client.connect();
  await client.query("begin");
  await client.query(statement);
  endings.push(() => client.end());
  return client;
}

/** What is waited for until it is opened. */
class Gate {
  open: () => void = () => {};
  readonly passed = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

const body = (session: string) => ({
  gameId: "maze",
  clientSessionId: session,
  events: eventsOf(["start", "end"]),
});

it("is waited for no longer than is set, and asked anew once the way to it is mended", async () => {
  const address = new URL(await fresh());
  const network = await serveRelay(address);
  endings.push(() => network.close());
  address.host = `127.0.0.1:${network.port}`;
  const service = await serviceOn(address.href);
  expect((await service.post("/api/telemetry", body("before"))).status).toBe(202);
  network.cut();
  // More than there are connections.
  const asked = Array.from({ length: 16 }, (_, at) =>
    at % 2 === 0 ? service.get("/api/v1/sessions") : service.post("/api/telemetry", body(`cut-${at}`)),
  );
  for (const { status, headers } of await Promise.all(asked)) {
    expect([status, headers.get("retry-after")], String(service.faults.at(-1))).toEqual([503, "1"]);
  }
  network.mend();
  const listed = await service.get("/api/v1/sessions");
  expect([listed.status, listed.json.items?.length], String(service.faults.at(-1))).toEqual([200, 1]);
  for (let at = 1; at < 16; at += 2) {
    expect((await service.post("/api/telemetry", body(`cut-${at}`))).status).toBe(202);
  }
  const batches = await service.service.store.readDb.selectFrom("event_batches").select("payload").execute();
  expect(batches.flatMap(({ payload }) => decodeIds(payload))).toHaveLength(9 * 2);
});

it("may be asked nothing for long, and keeps its connections", async () => {
  const { store } = (await serviceOn(await fresh())).service;
  const query = store.readDb.selectNoFrom((eb) => eb.fn<number>("pg_backend_pid", []).as("pid"));
  const { pid } = await query.executeTakeFirstOrThrow();
  await sleep(ANSWER_WITHIN * 2);
  const { rowCount } = await runOn(server, `select from pg_stat_activity where pid = ${pid}`);
  expect(rowCount).toBe(1);
});

it("refuses what waits for a lock for too long, and stores it once the lock is gone", async () => {
  const address = await fresh();
  const service = await serviceOn(address);
  const holder = await holding(address, "lock table event_batches in access exclusive mode");
  const { status, headers } = await service.post("/api/telemetry", body("late"));
  expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
  await holder.query("rollback");
  const { status: later, json } = await service.post("/api/telemetry", body("late"));
  expect([later, json.accepted, json.duplicates]).toEqual([202, 2, 0]);
});

it("takes its locks from a server that hangs in a transaction", async () => {
  const address = await fresh();
  const service = await serviceOn(address);
  const hanging = await opened(address);
  endings.push(() => hanging.close());
  const [held, released] = [new Gate(), new Gate()];
  const change = hanging.write(async (db) => {
    await db.updateTable("games").set({ name: "Held" }).execute();
    held.open();
    await released.passed;
  });
  change.catch(() => {});
  await held.passed;
  const rename = () =>
    service.service.store.write((db) => db.updateTable("games").set({ name: "Free" }).execute());
  // It waits for the lock for no longer than a statement may take, and finds it free in the end.
  await expect(rename()).rejects.toMatchObject({ code: "57014" });
  while (!(await rename().then(Boolean, () => false)));
  released.open();
  await expect(change).rejects.toThrow();
  const games = await service.get("/api/v1/games");
  expect(games.json.games.map(({ name }: { name: string }) => name)).toEqual(["Free"]);
});

it("is brought up to date however long that takes", async () => {
  const address = await fresh();
  await (await openStore({ database: address })).close();
  const holder = await holding(address, "lock table kysely_migration in access exclusive mode");
  const opening = opened(address);
  await sleep(ANSWER_WITHIN * 3);
  await holder.query("rollback");
  await (await opening).close();
});
