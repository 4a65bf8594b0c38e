/** Far more than the service can or may do: the rest is refused at once, what is allowed is answered, memory stays bounded. */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { listen } from "../../src/server/http/listen.ts";
import { MAX_WINDOWS, RateLimitWindows, toNetwork } from "../../src/server/http/rate-limit-windows.ts";
import { MAX_EVENT_NAMES, OTHER_NAMES } from "../../src/server/telemetry/event-names.ts";
import { freshFolder, startTestService, type TestService } from "../harness.ts";
import { end, endAll, serve } from "../server/real-server.ts";
import { countedSums, keptSums } from "./recount.ts";

const isLong = process.env.PLAYTEST_FAULTS === "long";

let service: TestService | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
  await endAll();
});

const MB = 2 ** 20;
/** The most memory that a process has taken so far, bytes. */
const peakOf = (pid: number | undefined): number =>
  1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

describe("limits by address", () => {
  it("keep no more windows for a million addresses than there may be", () => {
    const windows = new RateLimitWindows({ points: 2, seconds: 60 });
    for (let n = 0; n < 1_000_000; n += 1) windows.take(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, n >> 8);
    expect(windows.size).toBeLessThanOrEqual(MAX_WINDOWS);
    // Who came last is counted on, and whoever comes when all have ended finds them gone.
    expect([windows.take("10.15.66.63", 3906), windows.take("10.15.66.63", 3907)]).toEqual([0, 59_999]);
    expect([windows.take("new", 200_000), windows.take("other", 260_000), windows.size]).toEqual([0, 0, 2]);
  });

  it("count each window by itself, however the generations fall", () => {
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

  it("hold for a network of IPv6 addresses as for one", async () => {
    const rate = { points: 3, seconds: 60 };
    service = await startTestService({ limits: { key: rate, ip: rate, telemetry: rate }, trustProxy: true });
    const ask = async (n: number) => {
      const headers = { "x-forwarded-for": `2001:db8:0:${n % 2}::${n.toString(16)}` };
      return (await service?.get("/api/v1/nothing", { key: null, headers }))?.status;
    };
    const statuses = [];
    for (let n = 0; n < 8; n += 1) statuses.push(await ask(n));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429]);
  });
});

/** Sends telemetry through connections that are kept, as a proxy does. */
function sender(url: string, ingestKey: string, connections: number) {
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

const bodyOf = (session: string, ids: readonly string[], nameOf = (_n: number) => "step") =>
  JSON.stringify({
    gameId: "maze",
    clientSessionId: session,
    events: ids.map((id, n) => ({ id, name: nameOf(n), timestamp: 1_772_000_000_000 })),
  });

/** Does work so many times, a number of them at once. */
async function times(count: number, atOnce: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

describe("a server", () => {
  it(
    "sent ten times what the limits allow from many addresses takes what they allow, and refuses the rest",
    async () => {
      const addresses = isLong ? 200 : 5;
      const server = await serve(freshFolder(), "one", { flags: ["--limits", "on", "--trust-proxy"] });
      const { post, close } = sender(server.url, server.ingestKey ?? "", 32);
      const before = peakOf(server.process.pid);
      const taken = new Map<string, number>();
      const began = Date.now();
      await times(addresses * 1200, 64, async (n) => {
        const from = `192.0.${n % addresses}.1`;
        const { status, retryAfter } = await post(bodyOf(`s${n % 50}`, [`e${n}`]), from);
        if (status === 202) return void taken.set(from, (taken.get(from) ?? 0) + 1);
        expect(status).toBe(429);
        expect(Number(retryAfter)).toBeGreaterThan(0);
      });
      // Each window lets 120 through, and a slow machine sees more than one.
      const windows = 1 + Math.floor((Date.now() - began) / 60_000);
      expect(taken.size).toBe(addresses);
      for (const count of taken.values()) {
        expect(count).toBeGreaterThanOrEqual(120);
        expect(count).toBeLessThanOrEqual(120 * windows);
      }
      close();
      expect(peakOf(server.process.pid) - before).toBeLessThan(200 * MB);
      await end(server.process, "SIGTERM");
    },
    isLong ? 600_000 : 60_000,
  );

  it(
    "sent more at once than it can do answers or refuses each, and everything again afterwards",
    async () => {
      const server = await serve(freshFolder(), "one");
      const { post, close } = sender(server.url, server.ingestKey ?? "", 1000);
      const ids = Array.from({ length: 2000 }, (_, n) => `some-longer-id-of-an-event-${n}`);
      const body = bodyOf("s", ids);
      const statuses = new Map<number, number>();
      const before = peakOf(server.process.pid);
      await times(isLong ? 15_000 : 1000, 1000, async (n) => {
        const { status, retryAfter } = await post(body.replace('"s"', `"s${n}"`), "192.0.2.1");
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== 202) expect([status, retryAfter]).toEqual([503, "1"]);
      });
      expect([...statuses.keys()].sort()).toEqual([202, 503]);
      expect(peakOf(server.process.pid) - before).toBeLessThan(700 * MB);
      expect((await post(body, "192.0.2.1")).status).toBe(202);
      const headers = { authorization: `Bearer ${server.managementKey}` };
      const answer = await fetch(`${server.url}/api/v1/sessions?limit=1`, { headers });
      expect(((await answer.json()) as { total: number }).total).toBe((statuses.get(202) ?? 0) + 1);
      close();
      await end(server.process, "SIGTERM");
    },
    isLong ? 600_000 : 60_000,
  );
});

describe("in hand", () => {
  it("are so many requests at most: the next is told to wait, health is told, and room is made again", async () => {
    service = await startTestService({ admission: { requests: 3, bodyBytes: MB } });
    await service.addGame("maze");
    const served = await listen(service.app, { host: "127.0.0.1", port: 0 });
    const head = `POST /api/telemetry HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.keys.ingest}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
    const slow = Array.from({ length: 3 }, () => {
      const socket = connect(served.port, "127.0.0.1");
      socket.write(head);
      return socket;
    });
    const ask = () =>
      fetch(`${served.url}/api/v1/games`, {
        headers: { authorization: `Bearer ${service?.keys.management}` },
      });
    let refused = await ask();
    while (refused.status !== 503) refused = await ask();
    expect([refused.headers.get("retry-after"), await refused.text()]).toEqual([
      "1",
      '{"error":"Unavailable","retryAfterMs":1000}',
    ]);
    for (const path of ["/healthz", "/readyz"]) expect((await fetch(served.url + path)).status).toBe(200);
    for (const socket of slow) socket.destroy();
    let answered = await ask();
    while (answered.status !== 200) answered = await ask();
    await served.close();
  });

  it.each([
    ["told beforehand", (bytes: number) => ({ "content-length": String(bytes) })],
    ["as they come", () => ({})],
  ])("are so many bytes of bodies at most, %s, and none once they are answered", async (_, headersOf) => {
    const body = bodyOf("s", ["e"]);
    service = await startTestService({ admission: { requests: 100, bodyBytes: body.length + 10 } });
    const { post, addGame } = service;
    await addGame("maze");
    const headers = headersOf(body.length);
    for (let n = 0; n < 5; n += 1) expect((await post("/api/telemetry", body, { headers })).status).toBe(202);
    const both = await Promise.all([1, 2, 3].map(() => post("/api/telemetry", body, { headers })));
    expect(both.map(({ status }) => status).sort()).toEqual([202, 503, 503]);
    expect((await post("/api/telemetry", `${body}${" ".repeat(11)}`)).status).toBe(503);
    expect((await post("/api/telemetry", body, { headers })).status).toBe(202);
  });
});

describe("a game", () => {
  it("sent more names of events than it counts by has the others counted as one, and all of them stored", async () => {
    service = await startTestService();
    await service.addGame("maze");
    const names = isLong ? 1_000_000 : 20_000;
    const own = service;
    const { post, get } = own;
    for (let first = 0; first < names; first += 2000) {
      const ids = Array.from({ length: 2000 }, (_, n) => `e${first + n}`);
      const session = `s${Math.floor(first / 10_000)}`;
      expect(
        (
          await post(
            "/api/telemetry",
            bodyOf(session, ids, (n) => `name-${first + n}`),
          )
        ).status,
      ).toBe(202);
    }
    // A crash is seen among whatever else there is.
    await post(
      "/api/telemetry",
      bodyOf("s0", ["crash"], () => "crash_reported"),
    );
    await post(
      "/api/telemetry",
      bodyOf("s1", ["known"], () => "name-7"),
    );
    const { json, text } = await get("/api/v1/events/maze");
    expect([json.total, Object.keys(json.byName).length]).toEqual([names + 2, MAX_EVENT_NAMES + 2]);
    expect([json.byName[OTHER_NAMES], json.byName["name-7"], json.byName.crash_reported]).toEqual([
      names - MAX_EVENT_NAMES,
      2,
      1,
    ]);
    expect(text.length).toBeLessThan(100_000);
    const sums = await keptSums(own.service.store);
    const counted = await countedSums(own.service.store);
    for (const table of ["event_rollups", "event_totals"] as const) {
      const total = (of: Record<string, number>) => Object.values(of).reduce((sum, count) => sum + count, 0);
      expect(total(sums[table])).toBe(total(counted[table]));
      expect(Object.keys(sums[table]).length).toBe(MAX_EVENT_NAMES + 2);
    }
    // What an API sums from sessions is the same as what it keeps.
    const today = (await get("/api/v1/events/maze?from=1&to=9999999999999")).json;
    expect(today.byName).toEqual(json.byName);
  }, 600_000);
});
