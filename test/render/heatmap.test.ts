/** Heatmaps show where players were, in every kind of terminal and at every width. */
import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import type { Heatmap, HeatmapRoom } from "../../src/contract/heatmaps.ts";
import { renderHeatmap } from "../../src/render/heatmap.ts";
import { roundTicks } from "../../src/render/ticks.ts";
import { viridis, viridis16, viridis256 } from "../../src/render/viridis.ts";
import { forbiddenIn, hostileText, terminal } from "./samples.ts";

const game = { id: "game_1", userId: "u", name: "Starfall", slug: "starfall", createdAt: 0 };

/** A room of 8 by 4 cells: a lone visitor in a corner, a crowd in another. */
const cave: HeatmapRoom = {
  room: "Cave",
  cellsX: 8,
  cellsY: 4,
  cells: [
    { x: 0, y: 0, intensity: 0.05 },
    { x: 6, y: 2, intensity: 0.5 },
    { x: 7, y: 3, intensity: 1 },
  ],
  totalEvents: 1200,
  bounds: { xMin: 0, xMax: 800, yMin: -200, yMax: 200 },
};
const heatmap = (rooms: HeatmapRoom[], eventCount = 1500): Heatmap => ({ game, rooms, eventCount });
const linesOf = (text: string) => text.trimEnd().split("\n");

/** Gives the escapes of a colouring a readable name. */
const visible = (text: string) => text.replaceAll("\x1b", "~");

describe("renderHeatmap", () => {
  it("draws a ramp with axes where there is no colour", () => {
    expect(`\n${renderHeatmap(heatmap([cave]), terminal())}`).toMatchInlineSnapshot(`
      "
      Starfall: 1,200 positions in 1 room; 300 more positions in rooms not shown

      Cave  1,200 positions (80% of all), 9% of cells visited, densest at x 750, y 150
      -200 ┤..
           │
         0 ┤            ++
       200 ┤              @@
           └┬─────────┬─────
            0        500

      few 0 .:-=+*#%@ 1 many
      Intensity is ln(1 + n) / ln(1 + most), each room against its own densest cell;
      blank is none.
      "
    `);
  });

  it("draws no axes for a screen reader", () => {
    expect(`\n${renderHeatmap(heatmap([cave]), terminal({ plain: true, color: 3 }))}`).toMatchInlineSnapshot(`
      "
      Starfall: 1,200 positions in 1 room; 300 more positions in rooms not shown

      Cave  1,200 positions (80% of all), 9% of cells visited, densest at x 750, y 150
      -200  ..

         0              ++
       200                @@
            0        500

      few 0 .:-=+*#%@ 1 many
      Intensity is ln(1 + n) / ln(1 + most), each room against its own densest cell;
      blank is none.
      "
    `);
  });

  it("draws half blocks in truecolor", () => {
    const [, , , first = "", second = ""] = linesOf(
      renderHeatmap(heatmap([cave]), terminal({ color: 3, width: 90 })),
    );
    expect([visible(first), visible(second)]).toMatchInlineSnapshot(`
      [
        "~[2m-200 ┤~[22m~[38;2;71;19;102m▀~[39m",
        "~[2m   0 ┤~[22m      ~[38;2;33;145;140m▀~[39m~[38;2;253;231;37m▄~[39m",
      ]
    `);
  });

  it.each([
    [1, "~[93m▄~[39m"],
    [2, "~[38;5;226m▄~[39m"],
  ] as const)("draws half blocks at colour level %d", (color, cell) => {
    expect(visible(renderHeatmap(heatmap([cave]), terminal({ color })))).toContain(cell);
  });

  it("draws two rows of a cell that are alike as one, and a lone upper one alone", () => {
    const cells = [
      { x: 0, y: 0, intensity: 1 },
      { x: 0, y: 1, intensity: 1 },
      { x: 1, y: 0, intensity: 1 },
    ];
    const room = { ...cave, cellsX: 2, cellsY: 2, cells, bounds: { xMin: 0, xMax: 1, yMin: 0, yMax: 1 } };
    expect(visible(renderHeatmap(heatmap([room]), terminal({ color: 3 })))).toContain(
      "~[38;2;253;231;37m█~[39m~[38;2;253;231;37m▀~[39m",
    );
  });

  it("tells none from few: only what was visited is drawn", () => {
    const few = { ...cave, cells: [{ x: 3, y: 1, intensity: 0.001 }] };
    const drawn = renderHeatmap(heatmap([few]), terminal({ plain: true, width: 14 }));
    const plot = linesOf(drawn).filter((line) => /^ *-?\d* {2,}\.*$/.test(line));
    expect(plot.filter((line) => line.includes("."))).toHaveLength(1);
  });

  it("merges columns by the densest where the terminal is narrow", () => {
    const row = Array.from({ length: 32 }, (_, x) => ({ x, y: 0, intensity: x === 16 ? 1 : 0.1 }));
    const room = { ...cave, cellsX: 32, cells: row };
    const drawn = linesOf(renderHeatmap(heatmap([room]), terminal({ width: 22 })));
    const plot = drawn.filter((line) => /[┤│]/.test(line));
    expect(plot[0]?.replace(/.*[┤│]/, "")).toMatch(/^\.{8}@\.{7}$/);
    for (const line of plot) expect(line.length).toBeLessThanOrEqual(22);
  });

  it("counts what is in rooms not shown, and says when there is nothing", () => {
    expect(linesOf(renderHeatmap(heatmap([cave], 1201), terminal()))[0]).toBe(
      "Starfall: 1,200 positions in 1 room; 1 more position in rooms not shown",
    );
    expect(renderHeatmap(heatmap([], 0), terminal())).toBe("Starfall: 0 positions in 0 rooms\n");
  });

  it("draws a room where everyone stood on one spot", () => {
    const spot = { xMin: 5.25, xMax: 5.25, yMin: 2, yMax: 2 };
    const room = { ...cave, cells: [{ x: 0, y: 0, intensity: 1 }], totalEvents: 3, bounds: spot };
    expect(`\n${renderHeatmap(heatmap([room], 3), terminal({ width: 60 }))}`).toMatchInlineSnapshot(`
      "
      Starfall: 3 positions in 1 room

      Cave
      3 positions (100% of all), 3% of cells visited, densest at x
      5.25, y 2
      2 ┤@@
        │
        │
        │
        └┬───────────────
        5.25

      few 0 .:-=+*#%@ 1 many
      Intensity is ln(1 + n) / ln(1 + most), each room against its
      own densest cell; blank is none.
      "
    `);
  });

  it("draws a room as wide as numbers go", () => {
    const bounds = { xMin: -1.7e308, xMax: 1.7e308, yMin: 0, yMax: 1 };
    const room = { ...cave, cellsX: 1, cells: [{ x: 0, y: 0, intensity: 1 }], bounds };
    expect(renderHeatmap(heatmap([room]), terminal())).toContain("densest at x 0, y 0.1");
  });

  const extreme = fc.oneof(
    fc.constantFrom(-1.7e308, 1.7e308, 5e-324),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -50, max: 50 }),
  );
  const rooms = fc
    .record({
      room: hostileText,
      cellsX: fc.constantFrom(1, 2, 32, 500, 1_000_000),
      cellsY: fc.constantFrom(1, 3, 18, 500),
      a: extreme,
      b: extreme,
      c: extreme,
      d: extreme,
      places: fc.array(
        fc.record({ x: fc.nat(600), y: fc.nat(600), intensity: fc.double({ min: 0, max: 1, noNaN: true }) }),
      ),
    })
    .map(
      ({ room, cellsX, cellsY, a, b, c, d, places }): HeatmapRoom => ({
        room,
        cellsX,
        cellsY,
        cells: places,
        totalEvents: places.length,
        bounds: { xMin: Math.min(a, b), xMax: Math.max(a, b), yMin: Math.min(c, d), yMax: Math.max(c, d) },
      }),
    );

  it("fits the width and steers nothing, whatever the rooms are", () => {
    const options = fc.record({
      width: fc.integer({ min: 40, max: 160 }),
      color: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
      plain: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(rooms, { maxLength: 3 }), options, (list, given) => {
        const drawn = renderHeatmap(heatmap(list, 9), terminal(given));
        const bare = drawn.replace(/\x1b\[[\d;]*m/g, "");
        expect(forbiddenIn(bare, "\n\u200d")).toEqual([]);
        expect(bare).not.toMatch(/NaN|Infinity|undefined/);
        for (const line of linesOf(bare)) expect(stringWidth(line)).toBeLessThanOrEqual(given.width);
        if (given.plain) expect(drawn).not.toMatch(/[─│┤┬└█▀▄\x1b]/);
      }),
      { numRuns: 300 },
    );
  });
});

describe("roundTicks", () => {
  it.each([
    [0, 1920, 6, ["0", "500", "1000", "1500"]],
    [-540, 540, 6, ["-400", "-200", "0", "200", "400"]],
    [0, 1, 5, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]],
    [-0.004, 0.004, 4, ["-0.004", "-0.002", "0.000", "0.002", "0.004"]],
    [0, 0.3, 3, ["0.0", "0.1", "0.2", "0.3"]],
    [3, 3, 5, ["3"]],
    [1e12, 2e12, 2, ["1000000000000", "1500000000000", "2000000000000"]],
    [-1e308, 1e308, 5, ["-1e+308", "1e+308"]],
    [-1.7975e308, 1.7975e308, 5, ["-1.797e+308", "1.797e+308"]],
    [1e9, 1e9 + 1e-7, 3, ["1000000000", "1000000000"]],
  ])("%d to %d in %d", (min, max, count, labels) => {
    expect(roundTicks(min, max, count).map((tick) => tick.label)).toEqual(labels);
  });

  it("stays within the bounds and near the count", () => {
    const value = fc.integer({ min: -100_000, max: 100_000 });
    fc.assert(
      fc.property(
        value,
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 12 }),
        (min, span, count) => {
          const ticks = roundTicks(min, min + span, count);
          expect(ticks.length).toBeLessThanOrEqual(count + 1);
          for (const tick of ticks) {
            expect(tick.value).toBeGreaterThanOrEqual(min - 1e-6);
            expect(tick.value).toBeLessThanOrEqual(min + span + 1e-6);
            expect(Number(tick.label)).toBeCloseTo(tick.value, 6);
          }
        },
      ),
    );
  });
});

describe("viridis", () => {
  it("has its published ends and middle", () => {
    expect([viridis(0), viridis(0.5), viridis(1)]).toEqual([
      [68, 1, 84],
      [33, 145, 140],
      [253, 231, 37],
    ]);
    expect([viridis(-1), viridis(2)]).toEqual([viridis(0), viridis(1)]);
  });

  it("only gets lighter", () => {
    const lightness = ([red, green, blue]: readonly number[]) =>
      0.2126 * ((red ?? 0) / 255) ** 2.2 +
      0.7152 * ((green ?? 0) / 255) ** 2.2 +
      0.0722 * ((blue ?? 0) / 255) ** 2.2;
    for (let step = 1; step <= 100; step++) {
      expect(lightness(viridis(step / 100))).toBeGreaterThan(lightness(viridis((step - 1) / 100)));
    }
  });

  it("never returns to a colour it has left, with few colours", () => {
    for (const [color, count] of [
      [viridis256, 11],
      [viridis16, 5],
    ] as const) {
      const steps = Array.from({ length: 101 }, (_, at) => String(color(at / 100)));
      const runs = steps.filter((step, at) => step !== steps[at - 1]);
      expect(new Set(runs).size).toBe(count);
      expect(runs).toHaveLength(count);
    }
  });
});
