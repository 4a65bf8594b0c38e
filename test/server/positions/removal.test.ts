/** Removes the positions of one session from blocks that it shares with others. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { removeSessionPositions } from "../../../src/server/positions/chunk-queries.ts";
import { BYTES_PER_POINT } from "../../../src/server/positions/points.ts";
import { SOURCES } from "../../../src/shared/session-sources.ts";
import { startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.stop());

const KEY = {
  build: "1",
  environment: "production",
  source: SOURCES.unity,
  event: "player_pos",
  room: "hall",
  player: "",
};

interface Slice {
  readonly session: string;
  readonly points: number;
}

/** Stores a block with these slices, one after the other. The x of each point is its number. */
async function store(game_id: string, slices: readonly Slice[]): Promise<void> {
  const total = slices.reduce((sum, { points }) => sum + points, 0);
  const xy = new Uint8Array(
    Float64Array.from({ length: 2 * total }, (_, at) => (at % 2 === 0 ? at / 2 : 1)).buffer,
  );
  const bounds = { x_min: 0, x_max: total - 1, y_min: 1, y_max: 1 };
  const db = service.service.store.writeDb;
  await db
    .insertInto("position_blocks")
    .values({ ...KEY, game_id, id: 1, points: total, ...bounds, xy })
    .execute();
  let start = 0;
  for (const [seq, { session: session_id, points }] of slices.entries()) {
    const parts = JSON.stringify([[seq, points]]);
    const row = { game_id, session_id, room: KEY.room, player: "", event: KEY.event, block: 1, start, parts };
    await db.insertInto("position_slices").values(row).execute();
    start += points;
  }
}

/** The points of each slice that is left, by the number of its batch. */
async function read(game_id: string): Promise<Map<number, number[]>> {
  const db = service.service.store.readDb;
  const block = await db
    .selectFrom("position_blocks")
    .selectAll()
    .where("game_id", "=", game_id)
    .executeTakeFirst();
  const slices = await db.selectFrom("position_slices").selectAll().where("game_id", "=", game_id).execute();
  const view = block && new DataView(Uint8Array.from(block.xy).buffer);
  return new Map(
    slices.map(({ start, parts }) => {
      const [[seq, points]] = JSON.parse(parts) as [[number, number]];
      const xs = Array.from(
        { length: points },
        (_, at) => view?.getFloat64((start + at) * BYTES_PER_POINT, true) ?? -1,
      );
      return [seq, xs];
    }),
  );
}

let games = 0;

async function check(slices: readonly Slice[]): Promise<void> {
  games += 1;
  const game = `game-${games}`;
  await store(game, slices);
  const before = await read(game);
  const left = await service.service.store.write((db) => removeSessionPositions(db, game, "a"));
  const others = slices.flatMap(({ session }) => (session === "a" ? [] : session));
  if (slices.some(({ session }) => session === "a")) expect(left.sort()).toEqual([...new Set(others)].sort());
  const expected = [...before].filter(([seq]) => slices[seq]?.session !== "a");
  expect([...(await read(game))].sort(([x], [y]) => x - y)).toEqual(expected.sort(([x], [y]) => x - y));
}

const slice = fc.record({ session: fc.constantFrom("a", "b", "c"), points: fc.integer({ min: 1, max: 5 }) });

it("leaves the points of all others as they were", async () => {
  await fc.assert(fc.asyncProperty(fc.array(slice, { minLength: 1, maxLength: 12 }), check), { numRuns: 60 });
});

it("takes a session with more slices than one statement can move", async () => {
  await check(
    Array.from({ length: 1500 }, (_, at) => ({ session: at % 2 === 0 ? "a" : "b", points: 1 + (at % 3) })),
  );
});
