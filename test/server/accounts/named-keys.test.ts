/** Tests of named keys: what they can access, their own rate limit, environments, expiry and last use. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { createKey, hashKey, issueKey, type KeyLimits } from "../../../src/server/accounts/keys.ts";
import { DAY_MS } from "../../../src/shared/time-units.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ clock: { now: NOW, elapsed: 0 } });
  await service.addGame("ember");
});
afterEach(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

const create = (limits: KeyLimits) =>
  createKey(service.service.store.writeDb, service.accountId, NOW, limits);
const findRow = (key: string) =>
  service.service.store.readDb
    .selectFrom("keys")
    .selectAll()
    .where("hash", "=", hashKey(key))
    .executeTakeFirst();
const send = (key: string, body: object, headers: Record<string, string> = {}) =>
  service.post("/api/telemetry", { gameId: "ember", events: [], ...body }, { key, headers });

it("a named management key reads what the key of the account reads, and outlives its rotation", async () => {
  const key = await create({ kind: "management", name: "ci" });
  for (const path of ["/api/v1/games", "/api/v1/games/ember", "/api/v1/sessions"])
    expect((await service.get(path, { key })).json).toEqual((await service.get(path)).json);
  expect((await send(key, {})).status).toBe(403);
  await issueKey(service.service.store.writeDb, service.accountId, "management", NOW);
  expect((await service.get("/api/v1/games")).status).toBe(401);
  expect((await service.get("/api/v1/games", { key })).status).toBe(200);
});

it("each management key has its own rate limit", async () => {
  const limits = {
    key: { points: 2, seconds: 60 },
    ip: { points: 100, seconds: 60 },
    telemetry: { points: 9, seconds: 60 },
  };
  const limited = await startTestService({ limits });
  const key = await createKey(limited.service.store.writeDb, limited.accountId, NOW, {
    kind: "management",
    name: "ci",
  });
  const status = async (used: string) => (await limited.get("/api/v1/games", { key: used })).status;
  const own = limited.keys.management;
  expect([await status(key), await status(key), await status(key)]).toEqual([200, 200, 429]);
  expect([await status(own), await status(own), await status(own)]).toEqual([200, 200, 429]);
  await limited.stop();
});

it("a key stops working when it expires, also in the middle of a request", async () => {
  const key = await create({ kind: "management", name: "ci", expiresAt: NOW + 1000 });
  const ingest = await create({ kind: "ingest", expiresAt: NOW + 1000 });
  const before = await service.get("/api/v1/games", { key });
  expect([before.status, before.headers.get("x-key-expires-at")]).toEqual([
    200,
    new Date(NOW + 1000).toISOString(),
  ]);
  expect((await service.get("/api/v1/games")).headers.get("x-key-expires-at")).toBeNull();
  let finish = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      finish = () => {
        controller.enqueue(Buffer.from('{"gameId":"ember","events":[]}'));
        controller.close();
      };
    },
  });
  const request = new Request("http://localhost/api/telemetry", {
    method: "POST",
    headers: { authorization: `Bearer ${ingest}`, "content-type": "application/json" },
    body,
    ...({ duplex: "half" } as object),
  });
  const answered = service.app.fetch(request, { address: "127.0.0.1" });
  for (let reads = 0; reads < 3; reads += 1) await service.get("/api/v1/games");
  service.clock.now = NOW + 1000;
  finish();
  expect((await answered).status).toBe(401);
  const after = await service.get("/api/v1/games", { key });
  expect([after.status, after.json]).toEqual([
    401,
    { error: `Key expired at ${new Date(NOW + 1000).toISOString()}` },
  ]);
  expect((await send(ingest, {})).status).toBe(401);
  expect((await service.get("/api/v1/sessions")).json.total).toBe(0);
});

it("a key with an environment uses it by default, and refuses all others", async () => {
  const key = await create({ kind: "ingest", environment: "staging" });
  const created = await send(key, { clientSessionId: "s1" });
  expect(created.status).toBe(202);
  const { sessionId } = created.json;
  const sessions = async (env: string) => (await service.get(`/api/v1/sessions?env=${env}`)).json.total;
  expect([await sessions("staging"), await sessions("production")]).toEqual([1, 0]);
  expect((await send(key, { clientSessionId: "s2", environment: "staging" })).status).toBe(202);
  const refusal = {
    error: 'This key only accepts data of the environment "staging", not of "production"',
    reason: "wrong_environment",
    requiredEnvironment: "staging",
  };
  for (const [body, headers] of [
    [{ environment: "production" }, {}],
    [{}, { "x-playtest-environment": "production" }],
    [{ sessionId, environment: "production" }, {}],
  ] as const) {
    const answer = await send(key, body, headers);
    expect([answer.status, answer.json]).toEqual([403, refusal]);
  }
  const other = await send(service.keys.ingest, { clientSessionId: "s3" });
  for (const body of [{ sessionId: other.json.sessionId }, { clientSessionId: "s3" }]) {
    const answer = await send(key, body);
    expect([answer.status, answer.json]).toEqual([403, refusal]);
  }
  const report = { gameId: "ember", title: "t", description: "d", idempotencyKey: "k" };
  const reported = await service.post(
    "/api/telemetry/bug-report",
    { ...report, sessionId: other.json.sessionId, context: { environment: "production" } },
    { key },
  );
  expect([reported.status, reported.json.reason]).toEqual([403, "wrong_environment"]);
  const unnamed = await service.post(
    "/api/telemetry/bug-report",
    { ...report, sessionId: other.json.sessionId },
    { key },
  );
  expect([unnamed.status, unnamed.json]).toEqual([403, refusal]);
  expect(await sessions("production")).toBe(1);
});

it("stores the day of the last use once per day, and not for requests without a valid key", async () => {
  const { store, keyUse } = service.service;
  const { management, ingest } = service.keys;
  const lastUse = async (key: string) => {
    await keyUse.drain();
    return (await findRow(key))?.last_used_at;
  };
  const day = Math.floor(NOW / DAY_MS) * DAY_MS;
  expect(await lastUse(management)).toBeNull();
  await service.get("/api/v1/games");
  await service.get("/api/v1/games", { key: "pt_mgmt_unknown" });
  expect([await lastUse(management), await lastUse(ingest)]).toEqual([day, null]);
  await store.writeDb.updateTable("keys").set({ last_used_at: null }).execute();
  service.clock.now = day + DAY_MS - 1;
  await service.get("/api/v1/games");
  expect(await lastUse(management)).toBeNull();
  service.clock.now = day + DAY_MS;
  await service.get("/api/v1/games");
  expect(await lastUse(management)).toBe(day + DAY_MS);
});
