/** Rate limits: which requests count, the 429 response, and the order of checks. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RateLimitSettings } from "../../../src/server/http/rate-limits.ts";
import { engine } from "../../engine.ts";
import { send, startTestService, type TestService } from "../../harness.ts";

const wide = { points: 1000, seconds: 60 };
let service: TestService | undefined;

async function start(
  limits: Partial<RateLimitSettings>,
  more: { trustProxy?: boolean; hostNames?: string[] } = {},
) {
  service = await startTestService({ limits: { key: wide, ip: wide, telemetry: wide, ...limits }, ...more });
  return service;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] }));

afterEach(async () => {
  await service?.stop();
  service = undefined;
  vi.useRealTimers();
});

const three = { points: 3, seconds: 10 };

// Servers that share a database have only the wall clock in common, which rate-limiter-flexible uses.
describe.runIf(engine === "sqlite")("the clock of limits in memory", () => {
  it("is the injected monotonic clock, so adjusting the wall clock has no effect on windows", async () => {
    const time = { elapsed: 5000, wall: 1_700_000_000_000 };
    service = await startTestService({
      limits: { key: three, ip: wide, telemetry: wide },
      dependencies: { now: () => time.wall, monotonicNow: () => time.elapsed },
    });
    const ask = async () => (await service?.get("/api/v1/games"))?.status;
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429]);
    time.wall += 365 * 24 * 60 * 60 * 1000;
    expect(await ask()).toBe(429);
    time.elapsed += 10_000;
    expect(await ask()).toBe(200);
  });
});

describe("the limit of a management key", () => {
  it("returns 429 with the time to wait, in a window that starts with the first request", async () => {
    const { get } = await start({ key: three });
    expect((await get("/api/v1/games")).status).toBe(200);
    vi.advanceTimersByTime(1500);
    await get("/api/v1/games");
    await get("/api/v1/games");
    vi.advanceTimersByTime(2001);
    const refused = await get("/api/v1/games");
    expect(refused.status).toBe(429);
    expect(refused.text).toBe('{"error":"Rate limit exceeded","retryAfterMs":6499,"scope":"key"}');
    expect(refused.headers.get("retry-after")).toBe("7");
    expect(refused.headers.get("x-request-id")).toMatch(/\S/);
    expect(refused.headers.get("content-type")).toMatch(/^application\/json\b/);
  });

  it("accepts a request exactly after the returned time, and rejects it 1 ms earlier", async () => {
    const { get } = await start({ key: three });
    for (let n = 0; n < 3; n += 1) await get("/api/v1/games");
    const { retryAfterMs } = (await get("/api/v1/games")).json;
    expect(retryAfterMs).toBe(10_000);
    vi.advanceTimersByTime(retryAfterMs - 1);
    expect((await get("/api/v1/games")).json.retryAfterMs).toBe(1);
    vi.advanceTimersByTime(1);
    expect((await get("/api/v1/games")).status).toBe(200);
  });

  it("does not count rejected requests", async () => {
    const { get } = await start({ key: three });
    for (let n = 0; n < 20; n += 1) await get("/api/v1/games");
    vi.advanceTimersByTime(10_000);
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await get("/api/v1/games")).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it("counts 400, 404, 405 and OPTIONS like any other", async () => {
    for (const [path, method, status] of [
      ["/api/v1/sessions?limit=0", "GET", 400],
      ["/api/v1/games/none", "GET", 404],
      ["/api/v1/none", "GET", 404],
      ["/api/v1/games", "DELETE", 405],
      ["/api/v1/games", "OPTIONS", 204],
      ["/api/v1/games", "HEAD", 200],
    ] as const) {
      const { get, stop } = await start({ key: three });
      const statuses = [];
      for (let n = 0; n < 4; n += 1) statuses.push((await get(path, { method })).status);
      expect([path, ...statuses]).toEqual([path, status, status, status, 429]);
      await stop();
      service = undefined;
    }
  });

  it("counts each management key separately, and no unknown keys or ingest keys", async () => {
    const { get, addAccount, keys } = await start({ key: three });
    const other = await addAccount("others");
    for (let n = 0; n < 5; n += 1) {
      await get("/api/v1/games", { key: `pt_mgmt_${"0".repeat(40)}` });
      expect((await get("/api/v1/games", { key: keys.ingest })).status).toBe(403);
    }
    for (let n = 0; n < 3; n += 1) expect((await get("/api/v1/games")).status).toBe(200);
    expect((await get("/api/v1/games")).status).toBe(429);
    expect((await get("/api/v1/games", { key: other.keys.management })).status).toBe(200);
  });

  it("counts concurrent requests", async () => {
    const { get } = await start({ key: three });
    const answers = await Promise.all(Array.from({ length: 10 }, () => get("/api/v1/games")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
  });

  it("is 60 requests per minute by default", async () => {
    service = await startTestService({
      limits: (await import("../../../src/server/http/rate-limits.ts")).defaultRateLimits,
    });
    const { get } = service;
    const statuses = [];
    for (let n = 0; n < 61; n += 1) statuses.push((await get("/api/v1/games")).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    const refused = await get("/api/v1/games");
    expect(refused.json).toEqual({ error: "Rate limit exceeded", retryAfterMs: 60_000, scope: "key" });
  });
});

describe("the limit of an address", () => {
  it("is checked before the limit of the key, and counts requests without a valid key", async () => {
    const { app, get } = await start({ ip: three, key: { points: 1, seconds: 60 } });
    const paths = ["/nothing", "/api/v1/games", "/api/v1/sessions"];
    for (const path of paths) await send(app, path, {}, "10.0.0.1");
    for (const path of paths) {
      const refused = await send(app, path, {}, "10.0.0.1");
      expect(refused.text).toBe('{"error":"Rate limit exceeded","retryAfterMs":10000,"scope":"ip"}');
      expect(refused.headers.get("retry-after")).toBe("10");
    }
    expect((await get("/api/v1/games")).status).toBe(200);
  });

  it("does not count rejected requests toward the limit of the key", async () => {
    const { app, get, keys } = await start({ ip: three, key: three });
    const headers = { authorization: `Bearer ${keys.management}` };
    for (let n = 0; n < 3; n += 1) await send(app, "/nothing", {}, "10.0.0.1");
    for (let n = 0; n < 3; n += 1) {
      expect((await send(app, "/api/v1/games", { headers }, "10.0.0.1")).json.scope).toBe("ip");
    }
    for (let n = 0; n < 3; n += 1) expect((await get("/api/v1/games")).status).toBe(200);
  });

  it("uses X-Forwarded-For only behind a trusted proxy", async () => {
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    const open = await start({ ip: three });
    for (let n = 0; n < 3; n += 1) await open.get("/api/v1/games", from(`10.0.0.${n}`));
    expect((await open.get("/api/v1/games", from("10.0.0.9"))).status).toBe(429);
    await open.stop();
    const behind = await start({ ip: three }, { trustProxy: true });
    for (let n = 0; n < 3; n += 1) await behind.get("/api/v1/games", from(`1.1.1.${n}, 10.0.0.1`));
    expect((await behind.get("/api/v1/games", from("1.1.1.9, 10.0.0.1"))).status).toBe(429);
    expect((await behind.get("/api/v1/games", from("10.0.0.1, 10.0.0.2"))).status).toBe(200);
    expect((await behind.get("/api/v1/games")).status).toBe(200);
  });
});

describe("the limit of telemetry", () => {
  it("is the only one of game clients, so that they do not block others behind their address", async () => {
    const { get, keys } = await start({ ip: three, telemetry: three });
    const read = () => get("/api/telemetry/experiments?game=maze&deviceId=d", { key: keys.ingest });
    for (let n = 0; n < 20; n += 1) await read();
    expect((await read()).status).toBe(429);
    expect((await get("/api/v1/games")).status).toBe(200);
  });

  it("counts telemetry by address, for all keys together and separately from reads", async () => {
    const { post, get, addGame, addAccount, app } = await start({ ingest: three, key: three });
    await addGame("maze");
    const other = await addAccount("others");
    const body = { gameId: "maze", events: [] };
    expect((await post("/api/telemetry", body)).status).toBe(202);
    expect((await post("/api/telemetry", body, { key: null })).status).toBe(401);
    expect((await post("/api/telemetry", "{")).status).toBe(400);
    const refused = await post("/api/telemetry", body, { key: other.keys.ingest });
    expect(refused.text).toBe('{"error":"Rate limit exceeded","retryAfterMs":10000,"scope":"ip"}');
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    expect((await get("/api/v1/games")).status).toBe(200);
    expect((await send(app, "/api/telemetry", { method: "POST" }, "10.0.0.2")).status).toBe(401);
    expect((await send(app, "/api/telemetry", { method: "OPTIONS" })).status).toBe(204);
    vi.advanceTimersByTime(10_000);
    expect((await post("/api/telemetry", body)).status).toBe(202);
  });
});

describe("a playtest room behind one address", () => {
  const minute = (points: number) => ({ points, seconds: 60 });

  it("loses no telemetry of ten testers who send every 5 s and read their experiments", async () => {
    service = await startTestService({
      limits: (await import("../../../src/server/http/rate-limits.ts")).defaultRateLimits,
    });
    const { post, get, addGame, keys } = service;
    await addGame("maze");
    const statuses = new Set<number>();
    for (let tester = 0; tester < 10; tester += 1) {
      const created = await post("/api/telemetry", { gameId: "maze", deviceId: `d${tester}`, events: [] });
      statuses.add(created.status);
      for (let n = 0; n < 12; n += 1) {
        const body = { gameId: "maze", sessionId: created.json.sessionId, events: [] };
        statuses.add((await post("/api/telemetry", body)).status);
      }
      const path = `/api/telemetry/experiments?gameId=maze&deviceId=d${tester}`;
      expect((await get(path, { key: keys.ingest })).status).toBe(200);
    }
    expect([...statuses]).toEqual([202]);
  });

  it("has a limit for each device, which does not affect the others", async () => {
    const { post, addGame } = await start({ device: minute(2) });
    await addGame("maze");
    const ask = async (body: object) =>
      (await post("/api/telemetry", { gameId: "maze", events: [], ...body })).status;
    for (const deviceId of ["d1", "d2"])
      expect([await ask({ deviceId }), await ask({ deviceId }), await ask({ deviceId })]).toEqual([
        202, 202, 429,
      ]);
    expect([await ask({}), await ask({}), await ask({})]).toEqual([202, 202, 429]);
    const session = { clientSessionId: "c1" };
    expect([await ask(session), await ask(session), await ask(session)]).toEqual([202, 202, 429]);
  });
});

describe("a 429 before the telemetry limit is checked", () => {
  const shared = ["*", "X-Request-Id, Retry-After, Date"];
  const sharedBy = ({ headers }: { headers: Headers }) =>
    ["access-control-allow-origin", "access-control-expose-headers"].map((name) => headers.get(name));

  it("is readable by web pages of any origin for telemetry, but not for the management API", async () => {
    const { app } = await start({ ip: { points: 1, seconds: 60 }, ingest: { points: 1, seconds: 60 } });
    const ask = (path: string, headers: Record<string, string> = {}) =>
      send(app, path, { method: "POST", headers });
    const foreign = await ask("/api/telemetry/feedback", { host: "evil.example" });
    expect([foreign.status, sharedBy(foreign)]).toEqual([421, shared]);
    expect((await ask("/api/telemetry")).status).toBe(401);
    const limited = await ask("/api/telemetry");
    expect([limited.status, limited.json.scope, sharedBy(limited)]).toEqual([429, "ip", shared]);
    expect((await ask("/api/v1/games")).status).toBe(401);
    const other = await ask("/api/v1/games");
    expect([other.status, sharedBy(other)]).toEqual([429, [null, null]]);
  });
});

describe("the order of checks", () => {
  const bad = "/api/v1/builds/compare?a=&env=UPPER";

  it("is host, address limit, key, scope, key limit, route, method, validation, lookup", async () => {
    const { app, keys } = await start({ key: { points: 5, seconds: 60 } });
    const ask = async (path: string, key: string | null, more: { method?: string; host?: string } = {}) => {
      const headers = {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(more.host ? { host: more.host } : {}),
      };
      return (await send(app, path, { method: more.method ?? "GET", headers }, "10.0.0.1")).status;
    };
    expect(await ask(bad, null, { host: "evil.example", method: "DELETE" })).toBe(421);
    expect(await ask("/api/v1/none", null, { method: "DELETE" })).toBe(401);
    expect(await ask("/api/v1/none", keys.ingest, { method: "DELETE" })).toBe(403);
    expect(await ask("/api/v1/none", keys.management, { method: "DELETE" })).toBe(404);
    expect(await ask(bad, keys.management, { method: "DELETE" })).toBe(405);
    expect(await ask(`${bad}&game=none`, keys.management)).toBe(400);
    expect(await ask("/api/v1/builds/compare?game=none&a=1&b=2", keys.management)).toBe(404);
    expect(await ask(bad, keys.management)).toBe(400);
    expect(await ask("/api/v1/none", keys.management, { method: "DELETE" })).toBe(429);
    expect(await ask("/api/v1/none", keys.ingest)).toBe(403);
    expect(await ask("/api/v1/none", null)).toBe(401);
  });

  it("starts with the host, which does not count toward any limit, and then the address limit", async () => {
    const { app } = await start({ ip: { points: 1, seconds: 60 } });
    const ask = async (host?: string) =>
      (await send(app, "/api/v1/games", host ? { headers: { host } } : {}, "10.0.0.1")).status;
    expect([await ask("evil.example"), await ask(), await ask(), await ask("evil.example")]).toEqual([
      421, 401, 429, 421,
    ]);
  });
});
