/** The text of a heatmap says which of its positions are in the rooms that it draws. */
import { describe, expect, it } from "vitest";
import type { Heatmap } from "../../src/contract/heatmaps.ts";
import { heatmapText } from "../../src/mcp/heatmap-text.ts";

const room = (name: string, totalEvents: number): Heatmap["rooms"][number] => ({
  room: name,
  cellsX: 32,
  cellsY: 18,
  cells: [{ x: 0, y: 0, intensity: 1 }],
  totalEvents,
  bounds: { xMin: 0, xMax: 0, yMin: 0, yMax: 0 },
});

const textOf = (rooms: Heatmap["rooms"], eventCount: number) =>
  heatmapText(
    { game: { id: "game_1", userId: "user_1", name: "Maze", slug: "maze", createdAt: 0 }, rooms, eventCount },
    10_000,
  ).split("\n");

describe("the count of positions", () => {
  it("is that of all rooms where none is left out", () => {
    expect(textOf([room("hall", 2), room("attic", 1)], 3)).toContain("positions: 3, in 2 rooms");
  });

  it("of one room does not include those of the other rooms", () => {
    expect(textOf([room("attic", 1)], 445)).toContain("positions: 1, in 1 room; 444 more in other rooms");
  });
});
