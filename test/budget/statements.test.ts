/** The number of SQL statements of frequent requests: a measure of their cost that does not depend on a clock. */
import { DefaultQueryExecutor } from "kysely";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { engine } from "../engine.ts";
import { startTestService, type TestService } from "../harness.ts";
import { recordStatements, type SentStatement, watchStatements } from "../sql-statements.ts";

let service: TestService;
let unwatch: () => void;

beforeEach(async () => {
  // No timer starts work in the background, such as the log of arrivals, so that only requests send statements.
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
  service = await startTestService();
  await service.analysis.stop();
  await service.addGame("maze");
  unwatch = watchStatements();
});

afterEach(async () => {
  vi.restoreAllMocks();
  unwatch();
  vi.useRealTimers();
  await service.stop();
});

/** Runs a request and returns its statements. */
async function readStatements(request: () => Promise<{ status: number }>): Promise<readonly SentStatement[]> {
  const { value, statements } = await recordStatements(request);
  expect(value.status).toBeLessThan(300);
  return statements;
}

/** Counts the statements that a request sends. */
const countStatements = async (request: () => Promise<{ status: number }>): Promise<number> =>
  (await readStatements(request)).length;

/** A telemetry body with the given numbers of events and rooms. */
const body = (session: string, part: number, events: number, rooms = 2) => ({
  gameId: "maze",
  clientSessionId: session,
  source: "unity-telemetry",
  startedAt: 1_760_000_000_000,
  events: Array.from({ length: events }, (_, at) => ({
    id: `e${part}-${at}`,
    name: at % 2 === 0 ? "player_pos" : `action_${at % 20}`,
    timestamp: 1_760_000_000_000 + at,
    data: { x: at, y: -at, room: `room-${at % rooms}` },
  })),
});

const sendEvents = (session: string, part: number, events: number, rooms?: number) =>
  service.post("/api/telemetry", body(session, part, events, rooms));

/** The maximum number of statements for each read: one for the key, one for the game if it has one, and its own. */
const reads: readonly [path: string, max: number][] = [
  ["/api/v1/games", 2],
  ["/api/v1/games/maze", 4],
  ["/api/v1/sessions", 3],
  ["/api/v1/sessions?game=maze&limit=100", 4],
  ["/api/v1/sessions?game=maze&build=unknown&status=pending", 4],
  ["/api/v1/insights?game=maze", 4],
  ["/api/v1/events/maze", 5],
  ["/api/v1/events/maze?from=1&to=1760000000001", 7],
];

it.each(reads)("%s sends at most %i statements, regardless of the stored data", async (path, max) => {
  await sendEvents("first", 0, 4);
  expect(await countStatements(() => service.get(path))).toBeLessThanOrEqual(max);
  for (let n = 0; n < 30; n += 1) await sendEvents(`other-${n}`, 0, 40);
  const later = await countStatements(() => service.get(path));
  expect(later).toBeGreaterThan(1);
  expect(later).toBeLessThanOrEqual(max);
});

/** The number of rows that statements returned, and the bytes of their values. */
async function measureResults(
  statements: readonly SentStatement[],
): Promise<{ rows: number; bytes: number }> {
  const results = statements.map(({ result }) => result);
  const read = (await Promise.all(results)) as { rows: Record<string, unknown>[] }[];
  const rows = read.flatMap((result) => result.rows);
  const sizes = rows.flatMap((row) =>
    Object.values(row).map((value) =>
      value instanceof Uint8Array ? value.byteLength : typeof value === "string" ? value.length : 8,
    ),
  );
  return { rows: rows.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

it("event sums of past days send 7 statements, which read 16 bytes per name and day, and a few rows", async () => {
  const [days, names] = [96, 20];
  const dayMs = 24 * 3600_000;
  const end = Math.floor(service.clock.now / dayMs) * dayMs - 2 * dayMs;
  for (let day = 1; day <= days; day += 1) {
    const timestamp = end - day * dayMs;
    const events = Array.from({ length: names }, (_, at) => ({
      id: `e${at}`,
      name: `name-${at}`,
      timestamp,
    }));
    const { status } = await service.post("/api/telemetry", {
      ...{ gameId: "maze", clientSessionId: `day-${day}`, startedAt: timestamp, events },
    });
    expect(status).toBe(202);
  }
  const path = `/api/v1/events/maze?from=${end - days * dayMs - 1}&to=${end}`;
  const before = await service.get(path);
  await service.eventCompaction.drain();
  const statements = await readStatements(async () => {
    const answer = await service.get(path);
    expect([answer.json, answer.json.total]).toEqual([before.json, days * names]);
    return answer;
  });
  expect(statements.length).toBeLessThanOrEqual(7);
  const { rows, bytes } = await measureResults(statements);
  expect(rows).toBeLessThanOrEqual(8);
  // In addition to the counts: 4 lists of 20 names, the rows of the key and the game, and other columns.
  expect(bytes).toBeLessThanOrEqual(16 * days * names + 4000);
});

it("a heatmap sends at most 4 statements plus 3 per room, regardless of the number of sessions", async () => {
  const maxStatements = (rooms: number) => 4 + 3 * rooms;
  for (let n = 0; n < 30; n += 1) await sendEvents(`one-${n}`, 0, 40, 4);
  const first = await countStatements(() => service.get("/api/v1/heatmaps/maze"));
  expect(first).toBeGreaterThan(4);
  expect(first).toBeLessThanOrEqual(maxStatements(2));
  await sendEvents("one-0", 1, 40, 4);
  // Only the new batch is read.
  expect(await countStatements(() => service.get("/api/v1/heatmaps/maze"))).toBeLessThanOrEqual(
    maxStatements(2),
  );
});

it("marks of quits send as many statements for 40 sessions as for 20, also after compaction", async () => {
  const path = "/api/v1/heatmaps/maze?marks=quits";
  const play = async (from: number, to: number) => {
    for (let n = from; n < to; n += 1) {
      await sendEvents(`one-${n}`, 0, 10);
      await service.post("/api/telemetry", { ...body(`one-${n}`, 1, 1), sessionEnded: true, events: [] });
    }
  };
  const readTotal = async () => {
    const { marks } = (await service.get(path)).json as {
      marks: { total: number; withoutPosition: number }[];
    };
    return [marks[0]?.total, marks[0]?.withoutPosition];
  };
  await play(0, 20);
  // The heatmap itself is cached. After new sessions and after compaction, it is read again.
  const countMarks = async () => {
    await service.get("/api/v1/heatmaps/maze");
    return await countStatements(() => service.get(path));
  };
  const few = await countMarks();
  await play(20, 40);
  expect(await countMarks()).toBeLessThanOrEqual(few);
  expect(await readTotal()).toEqual([40, 0]);
  service.clock.now += 24 * 3600_000;
  await service.compaction.drain();
  // Where the moved positions are, and their blocks.
  expect(await countMarks()).toBeLessThanOrEqual(few + 2);
  expect(await readTotal()).toEqual([40, 0]);
});

it("a batch sends the same number of statements for 2 and for 2,000 events", async () => {
  await sendEvents("one", 0, 2);
  const few = await countStatements(() => sendEvents("one", 1, 2));
  const many = await countStatements(() => sendEvents("one", 2, 2000));
  // The key, and again in the transaction, so that nothing is stored with a key that was revoked meanwhile. The game, the session, the batch, its positions, the session's row, and the counters by day and of all days.
  expect(few).toBeLessThanOrEqual(9);
  expect(many).toBeLessThanOrEqual(9);
});

it("a batch that is already stored writes nothing", async () => {
  await sendEvents("one", 0, 40);
  const statements = await readStatements(() => sendEvents("one", 0, 40));
  expect(statements.filter(({ query }) => !/^select/i.test(query.sql))).toEqual([]);
  expect(statements).not.toHaveLength(0);
});

it("a page and a further batch build no SQL, because every statement was built before", async () => {
  const send = async (part: number) => {
    await sendEvents("one", part, 40);
    await sendEvents("two", part, 40);
    await service.get("/api/v1/sessions?game=maze&limit=20");
  };
  await send(0);
  await send(1);
  const { built } = await recordStatements(async () => {
    await send(2);
    await sendEvents("three", 0, 40);
  });
  expect(built).toEqual([]);
  const { readDb } = service.service.store;
  const unprepared = await recordStatements(() => readDb.selectFrom("games").select("id").execute());
  expect(unprepared.built).toHaveLength(1);
});

it.runIf(engine === "sqlite")("no statement of a request waits for a connection on SQLite", async () => {
  const wait = vi.spyOn(DefaultQueryExecutor.prototype, "executeQuery");
  expect(await countStatements(() => sendEvents("one", 0, 40))).toBeGreaterThan(0);
  for (const [path] of reads) await service.get(path);
  expect(wait).not.toHaveBeenCalled();
});
