/** builds register: a CI key registers builds, and can do nothing else. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createKey } from "../../src/server/accounts/keys.ts";
import { KEY } from "../../src/server/observability/redact.ts";
import { NOW, runCli, startTestService, type TestService } from "../harness.ts";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  await service.addGame("ember");
  await service.addGame("tide");
});
afterEach(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

const register = (argv: readonly string[], key = service.keys.ci) =>
  runCli(["builds", "register", ...argv], { service, env: { PLAYTEST_CI_KEY: key } });
const ask = (body: object, key = service.keys.ci) => service.post("/api/ci/builds", body, { key });
const readAudit = () =>
  service.service.store.readDb
    .selectFrom("audit")
    .selectAll()
    .where("action", "=", "builds.register")
    .execute();

test("registers a build once, and records it with the id of the key", async () => {
  const first = await register(["0.9.0", "-g", "ember"]);
  expect([first.code, first.out, first.err]).toEqual([0, "Registered build 0.9.0 of ember.\n", ""]);
  service.clock.now += 1000;
  const again = await register(["0.9.0", "-g", "ember", "--json"]);
  expect(JSON.parse(again.out)).toMatchObject({
    ...{ version: "0.9.0", registeredAt: NOW, isNew: false, isHidden: false },
  });
  const audit = await readAudit();
  expect(audit.map(({ actor, account_id }) => [actor, account_id])).toEqual([["ci", service.accountId]]);
  expect(JSON.parse(audit[0]?.detail ?? "")).toEqual({
    build: "0.9.0",
    key: expect.stringMatching(/^[0-9a-f]{12}$/),
  });
});

test("a key that is limited to one game needs no game, and registers builds of no other", async () => {
  const { writeDb, readDb } = service.service.store;
  const [game] = await readDb.selectFrom("games").selectAll().where("slug", "=", "ember").execute();
  const limits = { kind: "ci", name: "builds", gameId: game?.id ?? "" } as const;
  const key = await createKey(writeDb, service.accountId, NOW, limits);
  expect(key).toMatch(/^pt_ci_[0-9a-f]{40}$/);
  expect(key.replace(KEY, "")).toBe("");
  expect((await register(["0.9.0"], key)).out).toBe("Registered build 0.9.0 of ember.\n");
  expect((await register(["0.9.0", "-g", "tide"], key)).code).toBe(44);
  expect((await ask({ version: "1" })).json).toMatchObject({ reason: "game_required" });
});

test.each([
  ["latest", "must not be latest or previous"],
  ["previous", "must not be latest or previous"],
  ["@x.json", "must not begin with @ or -"],
  ["--help", "must not begin with @ or -"],
  ["0.9\t9", "must not contain control characters"],
  ["0.9.9 ", "must not begin or end with whitespace"],
  [" ", "must not begin or end with whitespace"],
])("refuses the version %j, which commands read as something else", async (version, reason) => {
  const { status, json } = await ask({ gameId: "ember", version });
  expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining(reason)]);
  const { code, err } = await register(["-g", "ember", "--", version]);
  expect([code, err]).toEqual([40, expect.stringContaining(reason)]);
  expect(await readAudit()).toEqual([]);
  const session = { gameId: "ember", sessionMetadata: { gameVersion: version }, events: [] };
  expect((await service.post("/api/telemetry", session)).status).toBe(202);
});

test("refuses invalid versions, other kinds of keys, and games of other accounts", async () => {
  for (const version of ["unknown", ".", "", "x".repeat(121), 9])
    expect((await ask({ gameId: "ember", version })).status).toBe(400);
  for (const key of [service.keys.management, service.keys.ingest])
    expect((await ask({ gameId: "ember", version: "1" }, key)).json).toMatchObject({ requiredScope: "ci" });
  const other = await service.addAccount("other");
  expect((await ask({ gameId: "ember", version: "1" }, other.keys.ci)).status).toBe(404);
  expect(await readAudit()).toEqual([]);
});

test("a CI key can neither read nor send anything", async () => {
  const { ci } = service.keys;
  for (const path of ["/api/v1/games", "/api/v1/games/ember/event-config", "/api/v1/none"])
    expect((await service.get(path, { key: ci })).status).toBe(403);
  expect((await service.post("/api/telemetry", { gameId: "ember", events: [] }, { key: ci })).status).toBe(
    403,
  );
  expect((await service.get("/api/ci/builds", { key: ci })).status).toBe(405);
  expect((await service.get("/api/ci/none", { key: ci })).status).toBe(404);
});

test("a CI key has the rate limit of a key", async () => {
  const limited = await startTestService({
    limits: {
      key: { points: 2, seconds: 60 },
      ip: { points: 100, seconds: 60 },
      telemetry: { points: 9, seconds: 60 },
    },
  });
  await limited.addGame("ember");
  const body = { gameId: "ember", version: "0.9.0" };
  const status = async () => (await limited.post("/api/ci/builds", body, { key: limited.keys.ci })).status;
  expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  await limited.stop();
});

test("says which key is missing or unknown", async () => {
  const missing = await register(["1", "-g", "ember"], "");
  expect([missing.code, missing.err]).toEqual([3, expect.stringContaining("Set PLAYTEST_CI_KEY")]);
  const unknown = await register(["1", "-g", "ember"], `pt_ci_${"0".repeat(40)}`);
  expect([unknown.code, unknown.err]).toEqual([41, expect.stringContaining("Set PLAYTEST_CI_KEY")]);
  const wrong = await register(["1", "-g", "ember"], service.keys.management);
  expect([wrong.code, wrong.err]).toEqual([
    43,
    expect.stringContaining("requires a CI key, but a management key was sent"),
  ]);
});
