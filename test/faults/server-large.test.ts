/** A very long session, and a game with very many rooms: the cost per body stays constant, and memory is bounded. */
import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { GRID } from "../../src/contract/heatmaps.ts";
import { freshFolder, startTestService, type TestService } from "../harness.ts";
import { end, endAll, serve } from "../server/real-server.ts";
import { recordStatements, watchStatements } from "../sql-statements.ts";

const isLong = process.env.PLAYTEST_FAULTS === "long";
const MB = 2 ** 20;

let service: TestService | undefined;
let unwatch = () => {};
afterEach(async () => {
  unwatch();
  await service?.stop();
  service = undefined;
  await endAll();
});

/** Counts the statements of requests, and the bytes of their parameters. */
async function measureStatements(work: () => Promise<unknown>) {
  const { statements } = await recordStatements(work);
  const values = statements.flatMap(({ query }) => query.parameters);
  const sizes = values.map((value) =>
    typeof value === "string" || value instanceof Uint8Array ? value.length : 8,
  );
  return { statements: statements.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

const createBody = (part: number, chooseRoom: (n: number) => string) => ({
  gameId: "maze",
  clientSessionId: "long",
  source: "unity-telemetry",
  events: Array.from({ length: 2000 }, (_, n) => ({
    id: `e${part}-${n}`,
    name: n % 2 ? "player_pos" : `action_${n % 20}`,
    timestamp: 1_772_000_000_000 + part * 2000 + n,
    data: { x: n, y: part, room: chooseRoom(part * 2000 + n), note: "x".repeat(400) },
  })),
});

const hall = () => "hall";

it("the 100th body of a session sends as many statements and bytes as the second", async () => {
  service = await startTestService();
  await service.analysis.stop();
  await service.addGame("maze");
  const { post } = service;
  unwatch = watchStatements();
  const costs = [];
  for (let part = 0; part < (isLong ? 100 : 20); part += 1)
    costs.push(await measureStatements(() => post("/api/telemetry", createBody(part, hall))));
  const [, second, ...others] = costs;
  for (const { statements, bytes } of others) {
    expect(statements).toBe(second?.statements);
    expect(bytes).toBeLessThan(1.02 * (second?.bytes ?? 0));
  }
});

it(`a session of ${isLong ? 50 : 10} MB is stored, analyzed and shown with bounded memory`, async () => {
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
  for (let part = 0; part < parts; part += 1) await send(createBody(part, hall));
  const stored = peak();
  const endOfSession = { gameId: "maze", clientSessionId: "long", sessionEnded: true, events: [] };
  const id = await send(endOfSession);
  const read = async () => {
    const headers = { authorization: `Bearer ${managementKey}` };
    const response = await fetch(`${url}/api/v1/sessions/${id}`, { headers });
    expect(response.status).toBe(200);
    return ((await response.json()) as { session: { status: string } }).session.status;
  };
  while ((await read()) !== "analyzed") await new Promise((resolve) => setTimeout(resolve, 50));
  const analyzed = peak();
  console.info(
    `Peak memory in MB (at start, stored, analyzed): ${[before, stored, analyzed].map((n) => Math.round(n / MB))}`,
  );
  expect(stored - before).toBeLessThan(250 * MB);
  expect(analyzed - before).toBeLessThan((250 + 4 * parts) * MB);
  await end(child, "SIGTERM");
});

it("a heatmap of very many rooms shows the 12 largest, with as many statements as for few rooms", async () => {
  service = await startTestService();
  await service.analysis.stop();
  await service.addGame("maze");
  const { post, get } = service;
  const rooms = isLong ? 100_000 : 6000;
  // Every fourth position is in one of 12 common rooms. Each other position has its own room.
  const chooseRoom = (n: number) => (n % 4 === 1 ? `known-${n % 12}` : `room-${n}`);
  const few = `/api/v1/heatmaps/maze?build=unknown`;
  unwatch = watchStatements();
  await post("/api/telemetry", createBody(0, chooseRoom));
  const first = await measureStatements(() => get(few));
  let parts = 1;
  for (; parts * 500 < rooms; parts += 1) await post("/api/telemetry", createBody(parts, chooseRoom));
  await service.compaction.drain();
  const { json } = await get("/api/v1/heatmaps/maze");
  expect([json.rooms.length, json.eventCount]).toEqual([GRID.maxRooms, parts * 1000]);
  const last = await measureStatements(() => get(`${few}&env=production`));
  expect(last.statements).toBeLessThanOrEqual(first.statements + GRID.maxRooms);
  expect(service.faults).toEqual([]);
});
