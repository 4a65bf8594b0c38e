/** The text form of heatmaps. */
import { describe, expect, it } from "vitest";
import type { Heatmap } from "../../src/contract/heatmaps.ts";
import { heatmapText } from "../../src/mcp/tool-result.ts";

const createRoom = (name: string, totalEvents: number): Heatmap["rooms"][number] => ({
  room: name,
  cellsX: 32,
  cellsY: 18,
  cells: [{ x: 0, y: 0, intensity: 1 }],
  totalEvents,
  bounds: { xMin: 0, xMax: 0, yMin: 0, yMax: 0 },
});

const formatLines = (rooms: Heatmap["rooms"], eventCount: number) =>
  heatmapText(
    { game: { id: "game_1", userId: "user_1", name: "Maze", slug: "maze", createdAt: 0 }, rooms, eventCount },
    10_000,
  ).split("\n");

describe("heatmapText", () => {
  it("shows the number of positions and rooms", () => {
    expect(formatLines([createRoom("hall", 2), createRoom("attic", 1)], 3)).toContain(
      "positions: 3 in 2 rooms",
    );
  });

  it("counts positions in other rooms separately", () => {
    expect(formatLines([createRoom("attic", 1)], 445)).toContain(
      "positions: 1 in 1 room; 444 more in other rooms",
    );
  });
});
