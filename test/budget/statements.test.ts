/** How many statements the hot requests send to the database: what a request costs that no clock is needed to see. */
import { DefaultQueryExecutor } from "kysely";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startTestService, type TestService } from "../harness.ts";

let service: TestService;
/** The statements sent since the last count. */
let sent: string[] = [];

beforeEach(async () => {
  service = await startTestService();
  await service.analysis.stop();
  await service.addGame("maze");
  // Every statement passes here, of connections and transactions alike.
  for (const way of ["executeQuery", "stream"] as const) {
    const run = DefaultQueryExecutor.prototype[way];
    vi.spyOn(DefaultQueryExecutor.prototype, way).mockImplementation(function (
      this: DefaultQueryExecutor,
      ...args: unknown[]
    ) {
      sent.push((args[0] as { sql: string }).sql);
      return Reflect.apply(run, this, args) as never;
    });
  }
});

afterEach(async () => {
  vi.restoreAllMocks();
  await service.stop();
});

/** How many statements some work sends. */
async function statements(work: () => Promise<{ status: number }>): Promise<number> {
  sent = [];
  const { status } = await work();
  expect(status).toBeLessThan(300);
  return sent.length;
}

/** A body of so many events in so many rooms of a session. */
const body = (session: string, part: number, events: number, rooms = 2) => ({
  gameId: "maze",
  clientSessionId: session,
  source: "unity-telemetry",
  startedAt: 1_760_000_000_000,
  events: Array.from({ length: events }, (_, at) => ({
    id: `e${part}-${at}`,
    name: at % 2 === 0 ? "player_pos" : `deed_${at % 20}`,
    timestamp: 1_760_000_000_000 + at,
    data: { x: at, y: -at, room: `room-${at % rooms}` },
  })),
});

const play = (session: string, part: number, events: number, rooms?: number) =>
  service.post("/api/telemetry", body(session, part, events, rooms));

/** What a read may send at most: the key, the game where one is named, and what it is about. */
const reads: readonly [path: string, most: number][] = [
  ["/api/v1/games", 2],
  ["/api/v1/games/maze", 4],
  ["/api/v1/sessions", 3],
  ["/api/v1/sessions?game=maze&limit=100", 4],
  ["/api/v1/sessions?game=maze&build=unknown&status=pending", 4],
  ["/api/v1/insights?game=maze", 4],
  ["/api/v1/events/maze", 4],
  ["/api/v1/events/maze?from=1&to=1760000000001", 6],
];

it.each(reads)("%s takes %i statements at most, however much is stored", async (path, most) => {
  await play("first", 0, 4);
  expect(await statements(() => service.get(path))).toBeLessThanOrEqual(most);
  for (let n = 0; n < 30; n += 1) await play(`other-${n}`, 0, 40);
  const later = await statements(() => service.get(path));
  expect(later).toBeGreaterThan(1);
  expect(later).toBeLessThanOrEqual(most);
});

it("a heatmap takes four statements and three a room at most, however many sessions were played", async () => {
  const most = (rooms: number) => 4 + 3 * rooms;
  for (let n = 0; n < 30; n += 1) await play(`one-${n}`, 0, 40, 4);
  const first = await statements(() => service.get("/api/v1/heatmaps/maze"));
  expect(first).toBeGreaterThan(4);
  expect(first).toBeLessThanOrEqual(most(2));
  await play("one-0", 1, 40, 4);
  // Another batch is read alone.
  expect(await statements(() => service.get("/api/v1/heatmaps/maze"))).toBeLessThanOrEqual(most(2));
});

it("a batch takes as many statements whether it holds 2 events or 2,000", async () => {
  await play("one", 0, 2);
  const few = await statements(() => play("one", 1, 2));
  const many = await statements(() => play("one", 2, 2000));
  // The key, the game, the session, the batch, its positions, the session's row, and the sums by day and over all days.
  expect(few).toBeLessThanOrEqual(8);
  expect(many).toBeLessThanOrEqual(8);
});

it("a batch that was stored before writes nothing", async () => {
  await play("one", 0, 40);
  sent = [];
  await play("one", 0, 40);
  expect(sent.filter((text) => !/^select/i.test(text))).toEqual([]);
  expect(sent).not.toHaveLength(0);
});
