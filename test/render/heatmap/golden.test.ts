/** Complete heatmaps at common terminal widths, compared with reviewed golden files. */
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import type { RoomView } from "../../../src/charts/heatmap-view.ts";
import { renderHeatmap } from "../../../src/render/heatmap/heatmap.ts";
import { terminal } from "../samples.ts";
import { density, densityRoom, differenceRoom, differences } from "./sample-views.ts";

const SHAPES: readonly Partial<RoomView>[] = [
  { room: "furnace", bounds: { xMin: -46.9, xMax: 46.7, yMin: -20.9, yMax: 36.9 } },
  { room: "lantern-stairs", bounds: { xMin: 0, xMax: 47.9, yMin: 1.3, yMax: 63.9 } },
  { room: "ash-bridge", bounds: { xMin: 3.9, xMax: 156.6, yMin: -14, yMax: 14 } },
  { room: "東の庭 \u202e", bounds: { xMin: 0, xMax: 1, yMin: 0, yMax: 1 } },
  { room: "vault", bounds: { xMin: 0, xMax: 4000, yMin: 0, yMax: 3000 } },
];

/** A closed path over 32 by 18 cells, with the most positions at its start. */
function walk(seed: number): Record<number, number> {
  const counts: Record<number, number> = {};
  for (let step = 0; step < 400; step++) {
    const turn = (step / 400) * Math.PI * 2;
    const x = Math.floor(16 + 14 * Math.sin(turn * (1 + (seed % 2))));
    const y = Math.floor(9 + 8 * Math.cos(turn * (1 + (seed % 3))));
    counts[y * 32 + x] = (counts[y * 32 + x] ?? 0) + (step < 40 ? 20 + seed : 1);
  }
  return counts;
}

const size = { cellsX: 32, cellsY: 18 };
const rooms = SHAPES.map((given, seed) => densityRoom(walk(seed), { ...given, ...size }));
const five = density(rooms, { about: "build 0.9.0", notShown: 12 });

const changedRooms = SHAPES.slice(0, 2).map((given, seed) => {
  const entries = Object.entries(walk(seed)).map(([at, count]) => [at, (count - 20) / 2000]);
  return differenceRoom(Object.fromEntries(entries), { ...given, ...size, resampled: seed === 1 });
});

const visible = (text: string) => text.replaceAll("\x1b", "~");

describe("five rooms", () => {
  it.each([40, 80, 120, 200])("in %d columns", async (width) => {
    const text = renderHeatmap(five, terminal({ width }));
    for (const line of text.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    await expect(text).toMatchFileSnapshot(`golden/rooms-${width}.txt`);
  });

  it("for a screen reader", async () => {
    const text = renderHeatmap(five, terminal({ width: 200, plain: true }));
    await expect(text).toMatchFileSnapshot("golden/rooms-plain.txt");
  });

  it.each([1, 2, 3] as const)("one room at color level %d", async (color) => {
    const text = renderHeatmap(density(rooms.slice(0, 1)), terminal({ color }));
    await expect(visible(text)).toMatchFileSnapshot(`golden/room-color-${color}.txt`);
  });
});

describe("the difference of two rooms", () => {
  it.each([40, 80, 120, 200])("in %d columns", async (width) => {
    const text = renderHeatmap(differences(changedRooms), terminal({ width }));
    for (const line of text.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    await expect(text).toMatchFileSnapshot(`golden/change-${width}.txt`);
  });

  it("in truecolor", async () => {
    const text = renderHeatmap(differences(changedRooms.slice(0, 1)), terminal({ color: 3 }));
    await expect(visible(text)).toMatchFileSnapshot("golden/change-color-3.txt");
  });
});
