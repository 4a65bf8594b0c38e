/** The paths of sessions over a heatmap. */
import { expect, it } from "vitest";
import { describePaths, listPathCells, listRoomPaths } from "../../src/charts/heatmap-paths.ts";
import type { HeatmapPath } from "../../src/contract/heatmaps.ts";

const bounds = { xMin: 0, xMax: 10, yMin: 0, yMax: 10 };
const path = (outcome: string, ...points: [number, number][]): HeatmapPath => ({
  ...{ sessionId: `s-${outcome}`, player: null, room: "hall", outcome },
  points: points.map(([x, y]) => ({ x, y })),
});

it("are divided where they leave the picture", () => {
  const outside = path("quit", [1, 1], [2, 2], [-5, 3], [4, 4]);
  expect(listRoomPaths([outside, { ...outside, room: "attic" }], { room: "hall", bounds })).toEqual([
    {
      outcome: "quit",
      points: [
        { x: 1, y: 1 },
        { x: 2, y: 2 },
      ],
    },
    { outcome: "quit", points: [{ x: 4, y: 4 }] },
  ]);
});

it("of an unknown outcome are drawn like those without one", () => {
  expect(listRoomPaths([path("won", [1, 1])], { room: "hall", bounds })[0]?.outcome).toBe("left");
});

it("pass each cell between their points", () => {
  const [found] = listRoomPaths([path("quit", [0, 0], [9.9, 0])], { room: "hall", bounds });
  const cells = found && listPathCells({ bounds, cellsX: 10, cellsY: 10 }, found);
  expect(cells?.map(({ column }) => column)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it("are counted by outcome", () => {
  expect(describePaths([path("quit", [0, 0]), path("completed", [0, 0])])).toEqual([
    "Paths of the newest 2 sessions by room: 1 completed, 1 quit.",
  ]);
  // Two players of one session, whose outcome both paths have.
  const quit = path("quit", [0, 0]);
  expect(describePaths([quit, { ...quit, player: "p2" }])).toEqual([
    "Paths of the newest session by room: 1 quit.",
  ]);
  expect([describePaths([]), describePaths(undefined)]).toEqual([
    ["No ended session has a path in these rooms."],
    [],
  ]);
});
