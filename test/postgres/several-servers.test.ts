/** Three servers on one database behind a round-robin proxy, which are killed one after the other. */
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { readEventIds } from "../faults/recount.ts";
import { freshFolder, openTestStore } from "../harness.ts";
import { seed } from "../property.ts";
import { createRandom } from "../random.ts";
import { databaseIn, end, endAll, type RealServer, serve } from "../server/real-server.ts";

const GAME = "maze";
const SESSIONS = 12;
const BODIES = 360;
const EVENTS = 25;
const KILLS = process.env.PLAYTEST_FAULTS === "long" ? 60 : 6;

/** Starts a proxy that distributes requests round-robin. It returns 502 for servers that are down. */
async function startProxy(targets: readonly (RealServer | null)[]): Promise<Server> {
  let turn = 0;
  const proxy = createServer((incoming, outgoing) => {
    const target = targets[turn++ % targets.length];
    const refuse = () => {
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end();
    };
    if (!target) return refuse();
    const { hostname, port } = new URL(target.url);
    const { method, url: path, headers } = incoming;
    const forwarded = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", refuse);
      answer.pipe(outgoing);
    });
    forwarded.on("error", refuse);
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return proxy;
}

afterEach(endAll);

/** Creates the body with this number. Sessions have many bodies, and half of the events of a body are in the next one too. */
function createBody(n: number) {
  const session = `session-${n % SESSIONS}`;
  // Sessions share testers, whose facts the servers update at the same time.
  const deviceId = `device-${(n % SESSIONS) % 4}`;
  const first = Math.floor(n / SESSIONS) * Math.ceil(EVENTS / 2);
  // An event has the same content in both bodies. Otherwise, its id would conflict.
  const events = Array.from({ length: EVENTS }, (_, position) => first + position).map((at) => ({
    id: `${session}-${at}`,
    name: at % 3 === 0 ? "player_pos" : `step-${at % 7}`,
    timestamp: 1_772_000_000_000 + at * 1000,
    data: { x: at, y: at % 90, room: `room-${at % 2}` },
  }));
  const isLast = n >= BODIES - SESSIONS;
  return {
    gameId: GAME,
    clientSessionId: session,
    deviceId,
    source: "unity-telemetry",
    events,
    sessionEnded: isLast,
  };
}

it(`three servers store each event once and analyze all sessions, killed ${KILLS} times (seed ${seed})`, async () => {
  const folder = freshFolder();
  let starts = 0;
  const start = () => serve(folder, `server-${starts++}`);
  const servers: (RealServer | null)[] = [await start(), await start(), await start()];
  const key = servers[0]?.ingestKey ?? "";
  const management = servers[0]?.managementKey ?? "";
  const proxy = await startProxy(servers);
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

  let answered = 0;
  let [accepted, duplicates] = [0, 0];
  const post = async (n: number) => {
    for (;;) {
      const response = await fetch(`${url}/api/telemetry`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(createBody(n)),
      }).catch(() => null);
      if (response?.status === 202) {
        const receipt = (await response.json().catch(() => null)) as Record<string, number> | null;
        if (!receipt) continue;
        accepted += receipt.accepted ?? 0;
        duplicates += receipt.duplicates ?? 0;
        answered += 1;
        return;
      }
      // The server was killed or is down. Other errors fail the test.
      expect([502, 503, undefined]).toContain(response?.status);
      await sleep(20);
    }
  };

  let next = 0;
  const lane = async () => {
    for (let n = next++; n < BODIES - SESSIONS; n = next++) await post(n);
  };
  const lanes = Array.from({ length: 8 }, lane);
  const share = createRandom(seed);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const due = ((kill + 1) * (BODIES - SESSIONS)) / (KILLS + 1);
    while (answered < due) await sleep(5);
    const at = Math.floor(share() * servers.length);
    const victim = servers[at];
    if (!victim) continue;
    await end(victim.process, "SIGKILL");
    servers[at] = null;
    servers[at] = await start();
  }
  await Promise.all(lanes);
  // The last bodies end the sessions.
  for (let n = BODIES - SESSIONS; n < BODIES; n += 1) await post(n);

  const read = async (path: string) => {
    for (;;) {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${management}` } });
      if (response.status !== 502) return await response.json();
    }
  };
  for (;;) {
    const { total } = (await read("/api/v1/sessions?status=analyzed&limit=1")) as { total: number };
    if (total === SESSIONS) break;
    await sleep(200);
  }
  for (const server of servers) if (server) await end(server.process, "SIGTERM");
  proxy.close();

  const store = await openTestStore(databaseIn(folder));
  const ids = await readEventIds(store);
  const sessions = await store.readDb.selectFrom("sessions").selectAll().execute();
  const sums = await store.readDb.selectFrom("event_rollups").select("count").execute();
  await store.close();
  const sentIds = new Set(
    Array.from({ length: BODIES }, (_, n) => createBody(n).events.map(({ id }) => id)).flat(),
  );
  expect(ids.length).toBe(sentIds.size);
  expect(new Set(ids)).toEqual(sentIds);
  const counted = sessions.flatMap((row) =>
    Object.values(JSON.parse(row.event_counts) as Record<string, number>),
  );
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  expect([sum(counted), sum(sums.map(({ count }) => count))]).toEqual([sentIds.size, sentIds.size]);
  expect(sessions.map((row) => [row.status, row.analysis_lease, row.analysis_due])).toEqual(
    Array(SESSIONS).fill(["analyzed", null, null]),
  );
  // If a response was lost, its events are stored but were acknowledged as duplicates later.
  expect(accepted).toBeLessThanOrEqual(sentIds.size);
  expect(accepted + duplicates).toBe(BODIES * EVENTS);
});
