/** Revoking a key while many clients use it: nothing is accepted after the command has ended, on any server. */
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { deleteKey, expireKey } from "../../../src/server/accounts/account-queries.ts";
import { createKey, hashKey } from "../../../src/server/accounts/keys.ts";
import { engine, resolveDatabase } from "../../engine.ts";
import { freshFolder, NOW, runCli, startTestService, type TestService } from "../../harness.ts";

const CLIENTS = 24;

const started: TestService[] = [];
afterEach(async () => {
  const services = started.splice(0).reverse();
  for (const service of services) await service.stop();
  expect(services.flatMap(({ faults }) => faults)).toEqual([]);
});

async function start(...given: Parameters<typeof startTestService>): Promise<TestService> {
  const service = await startTestService(...given);
  started.push(service);
  return service;
}

it(`refuses ${CLIENTS} clients of two servers as soon as the command has ended`, async () => {
  const database = join(freshFolder(), "play.db");
  const first = await start({ database });
  await first.addGame("ember");
  // Two servers in one process cannot share a SQLite file, because one would block the other.
  const servers =
    engine === "postgres" ? [first, await start({ database, continues: first })] : [first, first];
  const { store } = first.service;
  const key = await createKey(store.writeDb, first.accountId, NOW, { kind: "ingest", name: "leaked" });
  const reader = await createKey(store.writeDb, first.accountId, NOW, { kind: "management", name: "ci" });
  let isRevoked = false;
  let isDone = false;
  const accepted = new Set<string>();
  const lateStatuses: number[] = [];
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const server = servers[client % 2] ?? first;
    for (let n = 0; !isDone; n += 1) {
      const wasRevoked = isRevoked;
      const id = `e${client}-${n}`;
      const event = { id, name: "jump", timestamp: NOW + n };
      const body = { gameId: "ember", clientSessionId: `s${client}`, events: [event] };
      const sent = await server.post("/api/telemetry", body, { key });
      expect([202, 401]).toContain(sent.status);
      if (sent.status === 202) accepted.add(id);
      const read = await server.get("/api/v1/games", { key: reader });
      if (wasRevoked) lateStatuses.push(sent.status, read.status);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const countEvents = async () => {
    const rows = await store.readDb.selectFrom("event_batches").select("event_count").execute();
    return rows.reduce((sum, { event_count }) => sum + Number(event_count), 0);
  };
  const home = freshFolder();
  const revoke = async (text: string) => {
    const hash = hashKey(text);
    if (engine === "postgres") {
      const argv = ["admin", "keys", "revoke", hash.slice(0, 12), "--yes"];
      const run = await runCli([...argv, "--database", await resolveDatabase(database)], { home });
      expect([run.code, run.err]).toEqual([0, ""]);
      return;
    }
    // On SQLite, the command in the same process would block the server, so the test does what it does.
    await store.serializable((db) => expireKey(db, hash));
    await store.write((db) => deleteKey(db, hash));
  };
  while (accepted.size < 3 * CLIENTS) await new Promise((resolve) => setImmediate(resolve));
  await revoke(reader);
  await revoke(key);
  isRevoked = true;
  const stored = await countEvents();
  while (lateStatuses.length < 4 * CLIENTS) await new Promise((resolve) => setImmediate(resolve));
  isDone = true;
  await Promise.all(clients);
  expect(new Set(lateStatuses)).toEqual(new Set([401]));
  expect(await countEvents()).toBe(stored);
  expect(accepted.size).toBe(stored);
  expect((await first.get("/api/v1/games")).status).toBe(200);
});
