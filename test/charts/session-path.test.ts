import { describe, expect, it } from "vitest";
import { viewSessionPath } from "../../src/charts/session-path.ts";
import type { Heatmap } from "../../src/contract/heatmaps.ts";
import type { SessionEventItem } from "../../src/contract/session-events.ts";

const START = 1_700_000_000_000;
let ids = 0;
const event = (name: string, offsetMs: number, data: SessionEventItem["data"]): SessionEventItem => {
  ids += 1;
  return { id: `e${ids}`, name, timestamp: START + offsetMs, offsetMs, data, cited: false };
};
const at = (seconds: number, x: number, y: number, room = "hall") =>
  event("player_pos", 1000 * seconds, { x, y, room });

/** The values of the cells with any, by column and row. */
function listCells(items: readonly SessionEventItem[]) {
  const [room] = viewSessionPath("s", items).rooms;
  return (room?.values ?? []).flatMap((value, cell) =>
    value === null ? [] : [[cell % 32, Math.floor(cell / 32), value]],
  );
}

it("connects positions that follow each other, and shows what was later", () => {
  const line = listCells([at(0, 0, 0), at(1, 31, 0), at(2, 31, 17)]);
  expect(line).toHaveLength(32 + 17);
  expect(line).toContainEqual([0, 0, 1 / 3]);
  expect(line).toContainEqual([15, 0, 2 / 3]);
  expect(line).toContainEqual([31, 17, 1]);
});

it("does not connect positions before and after a long time", () => {
  expect(listCells([at(0, 0, 0), at(11, 31, 17)])).toEqual([
    [0, 0, 0.5],
    [31, 17, 1],
  ]);
});

it("has the rooms in the order of play, also if events arrive later", () => {
  const view = viewSessionPath("s", [at(5, 1, 1, "b"), at(1, 1, 1, "a"), at(9, 2, 2, "a")]);
  expect(view.rooms.map(({ room, total }) => [room, total])).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
  expect(view.rooms.flatMap(({ room, marks }) => marks.map(({ kind }) => [room, kind]))).toEqual([
    ["a", "quits"],
  ]);
});

it("marks deaths and the last position, and counts outliers", () => {
  const walk = Array.from({ length: 400 }, (_, n) => at(n, n % 20, Math.floor(n / 20)));
  const death = event("player_death", 5000, { x: 3, y: 4, room: "hall" });
  const view = viewSessionPath("s", [...walk, at(401, 5, -1e6), death, event("player_death", 6000, null)]);
  expect(view.rooms[0]?.marks).toEqual([{ kind: "deaths", points: [{ x: 3, y: 4, count: 1 }] }]);
  expect(view.marks.map(({ text }) => text)).toEqual([
    "1 death (player_death); 1 without a position",
    "the last position",
  ]);
  expect(view.notes).toEqual(["1 outlying position is outside the picture."]);
});

it("leaves out what has no place", () => {
  const items = [event("player_pos", 0, { x: "1", y: 2, room: "a" }), event("player_pos", 1, { x: 1, y: 2 })];
  expect(viewSessionPath("s", items).rooms).toEqual([]);
});

it("has the positions of traces, one after another up to the time of the event", () => {
  const points = [
    [0, 0],
    [31, 0],
    [31, 17],
  ];
  const trace = event("trace_chunk", 2000, { room: "hall", rate: 1, points });
  expect(listCells([trace])).toEqual(listCells([at(0, 0, 0), at(1, 31, 0), at(2, 31, 17)]));
});

describe("the first point of a trace", () => {
  const points = [
    [0, 0],
    [31, 0],
    [31, 17],
  ];
  const cellsOf = (data: object) =>
    listCells([event("trace_chunk", 60_000, { room: "hall", points, ...data })]);
  const later = (...seconds: number[]) =>
    listCells(points.map(([x = 0, y = 0], index) => at(seconds[index] ?? 0, x, y)));
  const t0 = START;

  it("is at t0, and the others follow by the rate", () => {
    // 50 s between two points are a gap in the path.
    expect(cellsOf({ rate: 0.02, t0 })).toEqual(later(0, 50, 100));
    expect(cellsOf({ rate: 1, t0 })).toEqual(later(0, 1, 2));
  });

  it("is at t0, and the last one at the time of the event without a rate", () => {
    expect(cellsOf({ t0 })).toEqual(later(0, 30, 60));
    expect(cellsOf({ t0: t0 + 50_000 })).toEqual(later(0, 5, 10));
    expect(cellsOf({ t0, points: [[5, 5]] })).toEqual(listCells([at(0, 5, 5)]));
  });

  it.each([Number.NaN, "1", null, 12_000, START + 60_001, -1])(
    "is not at a t0 of %s, which is no time before the event",
    (wrong) => {
      expect(cellsOf({ rate: 1, t0: wrong })).toEqual(cellsOf({ rate: 1 }));
    },
  );
});

describe("the bounds of a trace", () => {
  const boundsOf = (
    bounds: unknown,
    points = [
      [2, 3],
      [4, 9],
    ],
  ) => viewSessionPath("s", [event("trace_chunk", 0, { room: "hall", points, bounds })]);
  const room = { xMin: -10, xMax: 10, yMin: 0, yMax: 20 };
  const measured = { xMin: 2, xMax: 4, yMin: 3, yMax: 9 };

  it("are those of the picture", () => {
    expect(boundsOf(room).rooms[0]?.bounds).toEqual(room);
  });

  it("are ignored if they are none, or if the positions are elsewhere", () => {
    const wrong = [null, [], { ...room, xMin: "1" }, { ...room, xMin: 10 }, { ...room, yMax: Infinity }];
    for (const bounds of [...wrong, { ...room, xMax: 3 }, { xMin: 0, xMax: 1, yMin: 0, yMax: 1 }])
      expect(boundsOf(bounds).rooms[0]?.bounds).toEqual(measured);
  });

  it("leave out positions beyond them that squeeze the picture", () => {
    const points = [...Array.from({ length: 40 }, (_, n) => [n % 5, n % 9]), [0, -9000]];
    const view = boundsOf(room, points);
    expect(view.rooms[0]?.bounds).toEqual(room);
    expect(view.notes).toEqual(["1 outlying position is outside the picture."]);
  });
});

it("has the names of deaths and the planes of the game", () => {
  const rooms = [{ room: "hall", plane: "xz", yUp: true }] as unknown as Heatmap["rooms"];
  const marks = [{ kind: "deaths", events: ["wiped"] }] as unknown as NonNullable<Heatmap["marks"]>;
  const high = (name: string, x: number, z: number) => event(name, 0, { x, y: 0, z, room: "hall" });
  const items = [
    high("player_pos", 0, 5),
    high("player_pos", 9, 7),
    high("wiped", 4, 6),
    high("death", 4, 6),
  ];
  const [room] = viewSessionPath("s", items, { rooms, marks }).rooms;
  expect(room).toMatchObject({ yUp: true, bounds: { xMin: 0, xMax: 9, yMin: 5, yMax: 7 } });
  expect(room?.marks[0]).toEqual({ kind: "deaths", points: [{ x: 4, y: 6, count: 1 }] });
});
