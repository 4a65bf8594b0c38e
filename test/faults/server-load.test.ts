/** More load than the limits or the server allow: the excess is refused at once, the rest succeeds, and memory is bounded. */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { listen } from "../../src/server/http/listen.ts";
import { MAX_WINDOWS, RateLimitWindows, toNetwork } from "../../src/server/http/rate-limit-windows.ts";
import { MAX_EVENT_NAMES } from "../../src/server/telemetry/event-names.ts";
import { OTHER_EVENTS } from "../../src/shared/event-names.ts";
import { freshFolder, startTestService, type TestService } from "../harness.ts";
import { end, endAll, serve } from "../server/real-server.ts";
import { readCounters, recountRows } from "./recount.ts";

const isLong = process.env.PLAYTEST_FAULTS === "long";

let service: TestService | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
  await endAll();
});

const MB = 2 ** 20;
/** The peak memory of a process, bytes. */
const readPeakMemory = (pid: number | undefined): number =>
  1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

describe("address rate limits", () => {
  it("keep a bounded number of windows for a million addresses", () => {
    const windows = new RateLimitWindows({ points: 2, seconds: 60 });
    for (let n = 0; n < 1_000_000; n += 1) windows.take(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, n >> 8);
    expect(windows.size).toBeLessThanOrEqual(MAX_WINDOWS);
    // Recent windows are kept, and windows that have ended are removed.
    expect([windows.take("10.15.66.63", 3906), windows.take("10.15.66.63", 3907)]).toEqual([0, 59_999]);
    expect([windows.take("new", 200_000), windows.take("other", 260_000), windows.size]).toEqual([0, 0, 2]);
  });

  it("count each window separately, across cleanups of old windows", () => {
    const windows = new RateLimitWindows({ points: 2, seconds: 10 });
    const taken = [0, 1, 5000, 9999, 10_000, 10_001, 10_002].map((at) => windows.take("one", at));
    expect(taken).toEqual([0, 0, 5000, 1, 0, 0, 9998]);
    expect([windows.take("two", 19_000), windows.take("one", 19_999), windows.take("one", 20_000)]).toEqual([
      0, 1, 0,
    ]);
    expect([windows.take("two", 28_000), windows.take("two", 28_999), windows.take("two", 29_000)]).toEqual([
      0, 1, 0,
    ]);
  });

  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
    ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
    ["x".repeat(1000), "x".repeat(45)],
  ])("count %.40s as %.40s", (address, counted) => {
    expect(toNetwork(address)).toBe(counted);
  });

  it("treat an IPv6 /64 network as one address", async () => {
    const rate = { points: 3, seconds: 60 };
    service = await startTestService({
      limits: { key: rate, ip: rate, telemetry: rate, ingest: rate, device: { points: 1e6, seconds: 60 } },
      trustProxy: true,
    });
    const request = async (n: number) => {
      const headers = { "x-forwarded-for": `2001:db8:0:${n % 2}::${n.toString(16)}` };
      return (await service?.get("/api/v1/nothing", { key: null, headers }))?.status;
    };
    const statuses = [];
    for (let n = 0; n < 8; n += 1) statuses.push(await request(n));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429]);
  });
});

/** Sends telemetry over persistent connections, like a proxy. */
function createSender(url: string, ingestKey: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const post = (body: string, from: string): Promise<{ status: number; retryAfter: string | undefined }> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${ingestKey}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "x-forwarded-for": from,
      };
      const sent = request(`${url}/api/telemetry`, { method: "POST", agent, headers }, (answer) => {
        answer
          .resume()
          .on("end", () =>
            resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers["retry-after"] }),
          );
      });
      sent.on("error", reject).end(body);
    });
  return { post, close: () => agent.destroy() };
}

const createBody = (session: string, ids: readonly string[], chooseName = (_n: number) => "step") =>
  JSON.stringify({
    gameId: "maze",
    clientSessionId: session,
    events: ids.map((id, n) => ({ id, name: chooseName(n), timestamp: 1_772_000_000_000 })),
  });

/** Runs `work` `count` times with limited concurrency. */
async function repeat(count: number, concurrency: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const runWorker = async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: concurrency }, runWorker));
}

describe("a server", () => {
  it("accepts what the limits allow from each of many addresses, and refuses the rest with 429", async () => {
    const addresses = isLong ? 200 : 5;
    const server = await serve(freshFolder(), "one", {
      flags: ["--limits", "on", "--trust-proxy", "--telemetry-limit", "120"],
    });
    const { post, close } = createSender(server.url, server.ingestKey ?? "", 32);
    const before = readPeakMemory(server.process.pid);
    const accepted = new Map<string, number>();
    const start = Date.now();
    await repeat(addresses * 1200, 64, async (n) => {
      const from = `192.0.${n % addresses}.1`;
      const { status, retryAfter } = await post(createBody(`s${n % 50}`, [`e${n}`]), from);
      if (status === 202) return void accepted.set(from, (accepted.get(from) ?? 0) + 1);
      expect(status).toBe(429);
      expect(Number(retryAfter)).toBeGreaterThan(0);
    });
    // Each window allows 120 requests. On a slow machine, the test spans several windows.
    const windows = 1 + Math.floor((Date.now() - start) / 60_000);
    expect(accepted.size).toBe(addresses);
    for (const count of accepted.values()) {
      expect(count).toBeGreaterThanOrEqual(120);
      expect(count).toBeLessThanOrEqual(120 * windows);
    }
    close();
    expect(readPeakMemory(server.process.pid) - before).toBeLessThan(200 * MB);
    await end(server.process, "SIGTERM");
  });

  it("under overload accepts or refuses each request, and accepts all requests afterwards", async () => {
    const server = await serve(freshFolder(), "one");
    const { post, close } = createSender(server.url, server.ingestKey ?? "", 1000);
    const ids = Array.from({ length: 2000 }, (_, n) => `some-longer-id-of-an-event-${n}`);
    const body = createBody("s", ids);
    const statuses = new Map<number, number>();
    const before = readPeakMemory(server.process.pid);
    await repeat(isLong ? 15_000 : 1000, 1000, async (n) => {
      const { status, retryAfter } = await post(body.replace('"s"', `"s${n}"`), "192.0.2.1");
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status !== 202) expect([status, retryAfter]).toEqual([503, "1"]);
    });
    expect([...statuses.keys()].sort()).toEqual([202, 503]);
    expect(readPeakMemory(server.process.pid) - before).toBeLessThan(700 * MB);
    expect((await post(body, "192.0.2.1")).status).toBe(202);
    const headers = { authorization: `Bearer ${server.managementKey}` };
    const answer = await fetch(`${server.url}/api/v1/sessions?limit=1`, { headers });
    expect(((await answer.json()) as { total: number }).total).toBe((statuses.get(202) ?? 0) + 1);
    close();
    await end(server.process, "SIGTERM");
  });
});

describe("admission control", () => {
  it("limits concurrent requests: refuses the next with 503, serves health checks, and recovers", async () => {
    service = await startTestService({ admission: { requests: 3, bodyBytes: MB } });
    await service.addGame("maze");
    const served = await listen(service.app, { host: "127.0.0.1", port: 0 });
    const head = `POST /api/telemetry HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.keys.ingest}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
    const slow = Array.from({ length: 3 }, () => {
      const socket = connect(served.port, "127.0.0.1");
      socket.write(head);
      return socket;
    });
    const listGames = () =>
      fetch(`${served.url}/api/v1/games`, {
        headers: { authorization: `Bearer ${service?.keys.management}` },
      });
    let refused = await listGames();
    while (refused.status !== 503) refused = await listGames();
    expect([refused.headers.get("retry-after"), await refused.text()]).toEqual([
      "1",
      '{"error":"Unavailable","retryAfterMs":1000}',
    ]);
    for (const path of ["/healthz", "/readyz"]) expect((await fetch(served.url + path)).status).toBe(200);
    for (const socket of slow) socket.destroy();
    let answered = await listGames();
    while (answered.status !== 200) answered = await listGames();
    await served.close();
  });

  it.each([
    ["declared by Content-Length", (bytes: number) => ({ "content-length": String(bytes) })],
    ["counted while reading", () => ({})],
  ])("limits the total size of bodies, %s, and frees it after the responses", async (_, createHeaders) => {
    const body = createBody("s", ["e"]);
    service = await startTestService({ admission: { requests: 100, bodyBytes: body.length + 10 } });
    const { post, addGame } = service;
    await addGame("maze");
    const headers = createHeaders(body.length);
    for (let n = 0; n < 5; n += 1) expect((await post("/api/telemetry", body, { headers })).status).toBe(202);
    const both = await Promise.all([1, 2, 3].map(() => post("/api/telemetry", body, { headers })));
    expect(both.map(({ status }) => status).sort()).toEqual([202, 503, 503]);
    expect((await post("/api/telemetry", `${body}${" ".repeat(11)}`)).status).toBe(503);
    expect((await post("/api/telemetry", body, { headers })).status).toBe(202);
  });
});

describe("a game", () => {
  it("with too many event names counts the rest under one name, and stores all events", async () => {
    service = await startTestService({ budgets: "off" });
    await service.addGame("maze");
    const names = isLong ? 1_000_000 : 20_000;
    const current = service;
    const { post, get } = current;
    for (let first = 0; first < names; first += 2000) {
      const ids = Array.from({ length: 2000 }, (_, n) => `e${first + n}`);
      const session = `s${Math.floor(first / 10_000)}`;
      expect(
        (
          await post(
            "/api/telemetry",
            createBody(session, ids, (n) => `name-${first + n}`),
          )
        ).status,
      ).toBe(202);
    }
    // Crashes are always counted.
    await post(
      "/api/telemetry",
      createBody("s0", ["crash"], () => "crash_reported"),
    );
    await post(
      "/api/telemetry",
      createBody("s1", ["known"], () => "name-7"),
    );
    const { json, text } = await get("/api/v1/events/maze");
    expect([json.total, Object.keys(json.byName).length]).toEqual([names + 2, MAX_EVENT_NAMES + 2]);
    expect([json.byName[OTHER_EVENTS], json.byName["name-7"], json.byName.crash_reported]).toEqual([
      names - MAX_EVENT_NAMES,
      2,
      1,
    ]);
    expect(text.length).toBeLessThan(100_000);
    const counters = await readCounters(current.service.store);
    const recounted = await recountRows(current.service.store);
    const total = (counts: Record<string, number>) =>
      Object.values(counts).reduce((sum, count) => sum + count, 0);
    expect(total(counters)).toBe(total(recounted));
    expect(Object.keys(counters).length).toBe(MAX_EVENT_NAMES + 2);
    // A range is summed from the sessions, with the same result as the counters.
    const range = (await get("/api/v1/events/maze?from=1&to=9999999999999")).json;
    expect(range.byName).toEqual(json.byName);
  });
});
