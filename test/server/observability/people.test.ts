/** Logs name nobody: no device ids, handles, email addresses or network addresses, at any level. */
import { afterEach, expect, it } from "vitest";
import { allPages } from "../../../src/console/all-pages.ts";
import { endpoints } from "../../../src/contract/index.ts";
import { startLog } from "../../../src/server/observability/log.ts";
import { LogNames } from "../../../src/server/observability/log-names.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { call, eachEndpoint, keyFor, makeWorld, renamed, samples } from "../sample-requests.ts";

const DAY = 24 * 60 * 60 * 1000;
const ADDRESS = "203.0.113.77";
const headers = { "x-forwarded-for": ADDRESS };
/** Names that try to end or to hide in a path, a message or a line. */
const HOSTILE = [
  'ro"bin"@home.test',
  "robin@home.test",
  "robin/../testers",
  "robin\nrobin\u001b[31m",
  "robin%40home.test",
  "Röbin\u0000",
  '", "robin": "',
];

let service: TestService;
let lines: string[];
let now: number;

async function start() {
  lines = [];
  now = NOW;
  const log = startLog({ level: "debug", now: () => NOW, write: (line) => void lines.push(line) });
  service = await startTestService({
    trustProxy: true,
    console: { identity: null },
    dependencies: { now: () => now, observer: log.observer, report: log.report },
  });
}

afterEach(() => service.stop());

const PEOPLE = /wren-device|wren-tester|studio\.test|r(?:o|ö|%C3%B6)"?(?:%22)?bin|home\.test|203\.0\.113/i;

it("name nobody in requests, whatever names they have", async () => {
  await start();
  const world = await makeWorld(service, { accountId: service.accountId, keys: service.keys }, "wren");
  for (const [name, endpoint] of eachEndpoint()) {
    const sample = samples[name](world);
    const key = keyFor(endpoint, world.keys);
    await call(service, endpoint, sample, { key, headers });
    for (const [field, noun] of Object.entries(endpoint.names))
      for (const hostile of noun === "device" || noun === "tester" ? HOSTILE : [])
        await call(service, endpoint, renamed(sample, endpoint, field, hostile), { key, headers });
  }
  for (const hostile of HOSTILE) {
    const segment = encodeURIComponent(hostile);
    for (const path of ["/api/v1/testers/x/y/", "/nowhere/", "/games/wren-game/testers/", "/api/v1/"]) {
      await service.get(`${path}${segment}`, { headers });
      await service.get(`${path}${segment}?q=${segment}`, { headers: { ...headers, accept: "text/html" } });
    }
    const events = [{ id: hostile, name: hostile, timestamp: NOW, data: { note: hostile } }];
    const body = { gameId: "wren-game", deviceId: hostile, testerHandle: hostile, events };
    await service.post("/api/telemetry", body, { headers });
    await service.post("/api/telemetry", { ...body, events: hostile }, { headers });
  }
  await service.analysis.drain();
  await service.deliveries.drain();
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter((line) => PEOPLE.test(line))).toEqual([]);
});

it("name nobody in faults", async () => {
  await start();
  for (const hostile of HOSTILE) {
    for (const message of [
      `Unexpected token, ${JSON.stringify(hostile)} is not valid JSON`,
      `No "${hostile}"`,
    ])
      service.service.report("GET /x", new Error(message, { cause: new Error(message) }), "id");
    service.service.observer.modelFailed({
      ...{ accountId: "a", reason: "invalid", status: null, error: `The model answered "${hostile}"` },
    });
  }
  expect(lines).toHaveLength(3 * HOSTILE.length);
  expect(lines.filter((line) => PEOPLE.test(line))).toEqual([]);
  expect(lines[0]).toMatch(/at .*people\.test/);
});

it("correlate the lines of one person on one day, also with sessions", async () => {
  await start();
  await service.addGame("ember");
  const read = async (device: string, address: string) => {
    await service.get(`/api/v1/testers/ember/${device}`, { headers: { "x-forwarded-for": address } });
    const { path, address: hash } = JSON.parse(lines.at(-1) ?? "");
    return { path, hash };
  };
  const first = await read("wren", ADDRESS);
  expect(first.path).toMatch(/^\/api\/v1\/testers\/ember\/hash_[0-9a-f]{32}$/);
  expect(await read("%77ren", ADDRESS)).toEqual(first);
  const other = await read("robin", "203.0.113.78");
  expect(other.path).not.toBe(first.path);
  expect(other.hash).not.toBe(first.hash);
  await service.post("/api/telemetry", { gameId: "ember", events: [] }, { headers });
  const { address_hash: stored } = await service.service.store.readDb
    .selectFrom("sessions")
    .select("address_hash")
    .executeTakeFirstOrThrow();
  expect(stored).toBe(first.hash);
  now += DAY;
  const next = await read("wren", ADDRESS);
  expect([next.path === first.path, next.hash === first.hash]).toEqual([false, false]);
});

it("show the words of all pages", () => {
  const names = new LogNames(
    () => "hash",
    () => NOW,
    Object.values(endpoints),
  );
  for (const { path } of allPages) {
    const literal = path.replaceAll(/\{\w+\}/g, "name");
    expect(names.path(literal, undefined)).toBe(literal.replaceAll("name", "hash"));
  }
});
