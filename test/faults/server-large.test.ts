/** One session of very much play, and a game of very many rooms: each body costs what the first did, and memory is bounded. */
import { readFileSync } from "node:fs";
import { DefaultQueryExecutor } from "kysely";
import { afterEach, expect, it, vi } from "vitest";
import { GRID } from "../../src/contract/heatmaps.ts";
import { freshFolder, startTestService, type TestService } from "../harness.ts";
import { end, endAll, serve } from "../server/real-server.ts";

const isLong = process.env.PLAYTEST_FAULTS === "long";
const MB = 2 ** 20;

let service: TestService | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await service?.stop();
  service = undefined;
  await endAll();
});

/** Bytes of what statements carry, and how many there are: of connections and transactions alike. */
function watchStatements() {
  const seen = { statements: 0, bytes: 0 };
  for (const way of ["executeQuery", "stream"] as const) {
    const run = DefaultQueryExecutor.prototype[way];
    vi.spyOn(DefaultQueryExecutor.prototype, way).mockImplementation(function (
      this: DefaultQueryExecutor,
      ...args: unknown[]
    ) {
      const { parameters } = args[0] as { parameters: readonly unknown[] };
      seen.statements += 1;
      for (const value of parameters)
        seen.bytes += typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
      return Reflect.apply(run, this, args) as never;
    });
  }
  return async (work: () => Promise<unknown>) => {
    const before = { ...seen };
    await work();
    return { statements: seen.statements - before.statements, bytes: seen.bytes - before.bytes };
  };
}

const bodyOf = (part: number, roomOf: (n: number) => string) => ({
  gameId: "maze",
  clientSessionId: "long",
  source: "unity-telemetry",
  events: Array.from({ length: 2000 }, (_, n) => ({
    id: `e${part}-${n}`,
    name: n % 2 ? "player_pos" : `deed_${n % 20}`,
    timestamp: 1_772_000_000_000 + part * 2000 + n,
    data: { x: n, y: part, room: roomOf(part * 2000 + n), note: "x".repeat(400) },
  })),
});

const hall = () => "hall";

it("the hundredth body of a session costs the database what the second did", async () => {
  service = await startTestService();
  await service.analysis.stop();
  await service.addGame("maze");
  const { post } = service;
  const cost = watchStatements();
  const costs = [];
  for (let part = 0; part < (isLong ? 100 : 20); part += 1)
    costs.push(await cost(() => post("/api/telemetry", bodyOf(part, hall))));
  const [, second, ...others] = costs;
  for (const { statements, bytes } of others) {
    expect(statements).toBe(second?.statements);
    expect(bytes).toBeLessThan(1.02 * (second?.bytes ?? 0));
  }
});

it(
  `a session of ${isLong ? 50 : 10} MB is stored, analysed and shown within bounded memory`,
  async () => {
    const server = await serve(freshFolder(), "one");
    const { url, ingestKey, managementKey, process: child } = server;
    const peak = () =>
      1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]);
    const send = async (body: object) => {
      const headers = { authorization: `Bearer ${ingestKey}`, "content-type": "application/json" };
      const response = await fetch(`${url}/api/telemetry`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(202);
      return ((await response.json()) as { sessionId: string }).sessionId;
    };
    const before = peak();
    const parts = isLong ? 50 : 10;
    for (let part = 0; part < parts; part += 1) await send(bodyOf(part, hall));
    const stored = peak();
    const own = { gameId: "maze", clientSessionId: "long", sessionEnded: true, events: [] };
    const id = await send(own);
    const read = async () => {
      const headers = { authorization: `Bearer ${managementKey}` };
      const response = await fetch(`${url}/api/v1/sessions/${id}`, { headers });
      expect(response.status).toBe(200);
      return ((await response.json()) as { session: { status: string } }).session.status;
    };
    while ((await read()) !== "analyzed") await new Promise((resolve) => setTimeout(resolve, 50));
    const analysed = peak();
    console.info(
      `MB at its start, stored, analysed: ${[before, stored, analysed].map((n) => Math.round(n / MB))}`,
    );
    expect(stored - before).toBeLessThan(250 * MB);
    expect(analysed - before).toBeLessThan((250 + 4 * parts) * MB);
    await end(child, "SIGTERM");
  },
  isLong ? 300_000 : 60_000,
);

it(
  "very many rooms are counted, and the twelve with the most shown, by as many statements as few are",
  async () => {
    service = await startTestService();
    await service.analysis.stop();
    await service.addGame("maze");
    const { post, get } = service;
    const rooms = isLong ? 100_000 : 6000;
    // Twelve that all know, and one more for every other position.
    const roomOf = (n: number) => (n % 4 === 1 ? `known-${n % 12}` : `room-${n}`);
    const few = `/api/v1/heatmaps/maze?build=unknown`;
    const cost = watchStatements();
    await post("/api/telemetry", bodyOf(0, roomOf));
    const first = await cost(() => get(few));
    let parts = 1;
    for (; parts * 500 < rooms; parts += 1) await post("/api/telemetry", bodyOf(parts, roomOf));
    await service.compaction.drain();
    const { json } = await get("/api/v1/heatmaps/maze");
    expect([json.rooms.length, json.eventCount]).toEqual([GRID.maxRooms, parts * 1000]);
    const last = await cost(() => get(`${few}&env=production`));
    expect(last.statements).toBeLessThanOrEqual(first.statements + GRID.maxRooms);
    expect(service.faults).toEqual([]);
  },
  isLong ? 600_000 : 60_000,
);
