import { expect, it } from "vitest";
import { viewSessionPath } from "../../src/charts/session-path.ts";
import type { Heatmap } from "../../src/contract/heatmaps.ts";
import type { SessionEventItem } from "../../src/contract/session-events.ts";

let ids = 0;
const event = (name: string, offsetMs: number, data: SessionEventItem["data"]): SessionEventItem => {
  ids += 1;
  return { id: `e${ids}`, name, timestamp: offsetMs, offsetMs, data, cited: false };
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
