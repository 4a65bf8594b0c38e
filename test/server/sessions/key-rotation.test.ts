/** Key rotation while requests are in flight: each is answered under one key, and nothing is written under a replaced one. */

import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { issueKeys } from "../../../src/server/accounts/accounts.ts";
import { BASE_URL, engine, freshFolder, startTestService, type TestService } from "../../harness.ts";
import { seed } from "../../property.ts";
import { createRandom } from "../../random.ts";

const ROTATIONS = process.env.PLAYTEST_FAULTS === "long" ? 300 : 6;

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

/** Replaces the management key as `admin keys rotate` does, and returns the new one. */
const rotate = async ({ service, accountId }: TestService) =>
  (await service.store.serializable((db) => issueKeys(db, service, accountId))).management;

it("a webhook call whose key is replaced while its body arrives gets a 401 and stores nothing", async () => {
  const service = await start();
  await service.addGame("ember");
  const message = Buffer.from(JSON.stringify({ channel_id: "c", game: "ember" }));
  let send: ((bytes: Uint8Array | null) => void) | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(message.subarray(0, 10));
      send = (bytes) => (bytes ? controller.enqueue(bytes) : controller.close());
    },
  });
  const request = new Request(`${BASE_URL}/api/webhooks/discord?key=${service.keys.management}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    ...({ duplex: "half" } as object),
  });
  const answered = service.app.fetch(request, { address: "127.0.0.1" });
  // Later requests are handled later, so the key of the first one has been checked.
  for (let reads = 0; reads < 3; reads += 1) expect((await service.get("/api/v1/games")).status).toBe(200);
  const key = await rotate(service);
  send?.(message.subarray(10));
  send?.(null);
  const answer = await answered;
  expect([answer.status, await answer.text()]).toEqual([401, '{"error":"Invalid key"}']);
  expect((await service.get("/api/v1/sessions", { key })).json.total).toBe(0);
});

it("the keys of `server exec`, which are not stored, can call the webhook", async () => {
  const service = await start();
  await service.addGame("ember");
  const key = service.service.temporaryKeys.issue(service.accountId, "management", 0);
  const body = { channel_id: "c", game: "ember" };
  expect((await service.post(`/api/webhooks/discord?key=${key}`, body, { key: null })).status).toBe(201);
});

it(`requests during ${ROTATIONS} rotations get a result or a 401, and none with a replaced key succeeds (PLAYTEST_SEED=${seed})`, async () => {
  const random = createRandom(seed);
  const database = join(freshFolder(), "play.db");
  const first = await start({ database });
  await first.addGame("ember");
  // On SQLite, a second server in the same process would block the first one.
  const servers = engine === "postgres" ? [first, await start({ database, continues: first })] : [first];
  const pick = () => servers[Math.floor(random() * servers.length)] ?? first;
  const { ingest } = first.keys;
  let key = first.keys.management;
  let rotations = 0;
  let isDone = false;
  let events = 0;
  let opened = 0;

  /** Sends requests until all rotations are done. A key that was current before and after must have worked. */
  const repeat = async (send: (key: string, n: number) => Promise<number>, success: readonly number[]) => {
    for (let n = 0; !isDone; n += 1) {
      const [used, before] = [key, rotations];
      const status = await send(used, n);
      if (rotations === before && !isRotating) expect(success).toContain(status);
      else expect([...success, 401]).toContain(status);
    }
  };
  let isRotating = false;
  const clients = [0, 1].flatMap((client) => [
    repeat(async (used) => (await pick().get("/api/v1/sessions", { key: used })).status, [200]),
    repeat(
      async (used, n) => {
        const body = { channel_id: `c${client}-${n}`, game: "ember" };
        const { status } = await pick().post(`/api/webhooks/discord?key=${used}`, body, { key: null });
        if (status === 201) opened += 1;
        return status;
      },
      [201],
    ),
    // The ingest key remains valid, so no event may be refused or lost.
    (async () => {
      for (let n = 0; !isDone; n += 1) {
        const event = { id: `e${client}-${n}`, name: "jump", timestamp: 1_772_000_000_000 + n };
        const body = { gameId: "ember", clientSessionId: `s${client}`, events: [event] };
        const { status } = await pick().post("/api/telemetry", body, { key: ingest });
        expect(status).toBe(202);
        events += 1;
      }
    })(),
  ]);
  const replace = async () => {
    for (; rotations < ROTATIONS; rotations += 1) {
      const old = key;
      isRotating = true;
      key = await rotate(pick());
      for (const server of servers) {
        const body = { channel_id: "old", game: "ember" };
        const answers = await Promise.all([
          server.get("/api/v1/games", { key: old }),
          server.post(`/api/webhooks/discord?key=${old}`, body, { key: null }),
          server.post("/mcp", {}, { key: old }),
          server.get("/api/v1/games", { key }),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 200]);
      }
      isRotating = false;
    }
  };
  await replace().finally(() => {
    isDone = true;
  });
  await Promise.all(clients);
  const { json } = await first.get("/api/v1/events/ember", { key });
  expect(json.total).toBe(events);
  expect((await first.get("/api/v1/sessions?source=discord&limit=1", { key })).json.total).toBe(opened);
  expect(Math.min(events, opened)).toBeGreaterThan(0);
  const keys = await first.service.store.readDb.selectFrom("keys").select("kind").execute();
  expect(keys.filter(({ kind }) => kind === "management")).toHaveLength(1);
});
