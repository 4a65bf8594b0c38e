/** Heatmaps in every kind of terminal and at every width. */

import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { createShading } from "../../../src/render/heatmap/cells.ts";
import { type HeatmapRenderOptions, renderHeatmap } from "../../../src/render/heatmap/heatmap.ts";
import { difference, getPalette, paletteNames } from "../../../src/render/palettes/index.ts";
import fc from "../../property.ts";
import { forbiddenIn, terminal } from "../samples.ts";
import { anyView, cave, changed, density, densityRoom, differences } from "./sample-views.ts";

const linesOf = (text: string) => text.trimEnd().split("\n");
/** Makes escape characters visible. */
const visible = (text: string) => text.replaceAll("\x1b", "~");
const bare = (text: string) => text.replace(/\x1b\[[\d;]*m/g, "");
const drawn = (...[view, options]: [Parameters<typeof renderHeatmap>[0], Partial<HeatmapRenderOptions>?]) =>
  renderHeatmap(view, terminal(options));

describe("a heatmap", () => {
  it("uses a ramp of characters with axes without color", () => {
    expect(`\n${drawn(density([cave], { notShown: 300 }))}`).toMatchInlineSnapshot(`
      "
      Starfall: 1,033 positions in 1 room (300 more positions in rooms not shown)

      Cave
      1,033 positions (77% of all), 13% of cells visited, densest at x 750, y 150
      -200 ┤....
           │....
      -100 ┤
           │
         0 ┤                        ++++,,,,
           │                        ++++,,,,
       100 ┤                            @@@@
       200 ┤                            @@@@
           └┬───────┬───────┬───────┬──────┬
            0      200     400     600   800
      Positions per cell:  '.' 1  ',' 2–3  '-' 4–9  '=' 10–20  '+' 21–45  '*' 46–99
      '#' 100–214  '%' 215–463  '@' 464–1,000  blank no positions

      The scale is logarithmic. Colors are scaled to the densest cell of each room.
      "
    `);
  });

  it("has no axes for a screen reader", () => {
    expect(`\n${drawn(density([cave]), { plain: true, color: 3, width: 120 })}`).toMatchInlineSnapshot(`
      "
      Starfall: 1,033 positions in 1 room

      Cave  1,033 positions (100% of all), 13% of cells visited, densest at x 750, y 150
      -200  ....
            ....
      -100

         0                          ++++,,,,
                                    ++++,,,,
       100                              @@@@
       200                              @@@@
            0      200     400     600   800
      Positions per cell:  '.' 1  ',' 2–3  '-' 4–9  '=' 10–20  '+' 21–45  '*' 46–99  '#' 100–214  '%' 215–463  '@' 464–1,000
      blank no positions

      The scale is logarithmic. Colors are scaled to the densest cell of each room.
      "
    `);
  });

  it("uses half blocks on its own background in truecolor", () => {
    const small = densityRoom({ 0: 9, 3: 1, 4: 9, 6: 9 }, { cellsX: 2, cellsY: 4 });
    const view = density([{ ...small, bounds: { xMin: 0, xMax: 1, yMin: 0, yMax: 2 } }]);
    const lines = linesOf(drawn(view, { color: 3 }));
    expect(lines.slice(2, 6).map(visible)).toMatchInlineSnapshot(`
      [
        "~[1mCave~[22m  ~[2m28 positions (100% of all), 50% of cells visited, densest at x 0.3, y 0.3~[22m",
        "~[2m0.0 ┤~[22m~[38;2;253;231;37;48;2;253;231;37m████~[48;2;16;16;16m    ~[39;49m",
        "~[2m    │~[22m~[38;2;253;231;37;48;2;253;231;37m████~[48;2;16;16;16m    ~[39;49m",
        "~[2m0.5 ┤~[22m~[48;2;16;16;16m    ~[38;2;39;129;142;48;2;39;129;142m████~[39;49m",
      ]
    `);
  });

  it.each([
    [1, "viridis", "~[93;40m▐█▌~[39;49m"],
    [2, "viridis", "~[38;5;226;48;5;233m▐█▌~[39;49m"],
    [3, "viridis", "~[38;2;253;231;37;48;2;16;16;16m▐█▌~[39;49m"],
    [1, "cividis", "~[94;40m▐█▌~[39;49m"],
    [2, "cividis", "~[38;5;227;48;5;233m▐█▌~[39;49m"],
    [3, "magma", "~[38;2;252;253;191;48;2;16;16;16m▐█▌~[39;49m"],
  ] as const)("at color level %d, uses the colors of %s", (color, palette, swatch) => {
    expect(visible(drawn(density([cave]), { color, palette }))).toContain(swatch);
  });

  it.each([...paletteNames.map((name) => getPalette(name)), difference])(
    "distinguishes no data from all values, in $name",
    (palette) => {
      const values = palette.kind === "diverging" ? [-1, -1e-9, 0, 1e-9, 1] : [0, 1e-9, 1];
      for (const color of [0, 1, 2, 3] as const) {
        const { look, line } = createShading(palette, { color, plain: false });
        for (const value of values) {
          expect(look(value)).not.toBe(look(null));
          expect(line([value], [null])).not.toBe(line([null], [null]));
        }
      }
    },
  );

  it("has shapes that are visible without color", () => {
    const text = bare(drawn(density([cave]), { color: 3 }));
    expect(text).toMatch(/┤█+ +\n/);
    expect(text).toMatch(/[│┤] +█+\n/);
  });

  it("shows the densest of merged columns in a narrow terminal", () => {
    const row = Object.fromEntries(Array.from({ length: 32 }, (_, x) => [x, x === 16 ? 1000 : 1]));
    const view = density([densityRoom(row, { cellsX: 32 })]);
    const plot = linesOf(drawn(view, { width: 24 })).filter((line) => /[┤│]/.test(line));
    expect(plot[0]?.replace(/.*[┤│]/, "")).toMatch(/^\.{9}@\.{8}$/);
    for (const line of plot) expect(line.length).toBeLessThanOrEqual(24);
  });

  it("shows filters, positions in other rooms, and empty heatmaps", () => {
    const first = (...given: Parameters<typeof drawn>) => linesOf(drawn(...given))[0];
    expect(first(density([cave], { about: "build 1", notShown: 1 }), { width: 120 })).toBe(
      "Starfall, build 1: 1,033 positions in 1 room (1 more position in rooms not shown)",
    );
    expect(drawn(density([]))).toBe("Starfall: 0 positions in 0 rooms\n");
  });

  it("draws a room with a single point", () => {
    const spot = densityRoom({ 0: 3 }, { bounds: { xMin: 5.25, xMax: 5.25, yMin: 2, yMax: 2 } });
    expect(`\n${drawn(density([spot]), { width: 60 })}`).toMatchInlineSnapshot(`
      "
      Starfall: 3 positions in 1 room

      Cave
      3 positions (100% of all), 3% of cells visited, densest at
      x 5.25, y 2
      2 ┤@@@@
        │@@@@
        │
        │
        │
        │
        │
        │
        └┬───────────────────────────────
        5.25
      Positions per cell:  '+' 1  '%' 2  '@' 3  blank no positions

      The scale is logarithmic. Colors are scaled to the densest
      cell of each room.
      "
    `);
  });

  it("draws a room with the largest possible bounds", () => {
    const bounds = { xMin: -1.7e308, xMax: 1.7e308, yMin: 0, yMax: 1 };
    const room = densityRoom({ 0: 1 }, { cellsX: 1, bounds });
    expect(drawn(density([room]))).toContain("densest at x 0, y 0.1");
  });

  it("marks approximate counts", () => {
    expect(drawn(density([{ ...cave, exact: false }]))).toContain("Positions per cell, about:");
  });
});

describe("the legend", () => {
  /** The characters of the legend with the lowest count that each represents. */
  function legendOf(most: number): [string, number][] {
    const text = drawn(density([densityRoom({ 0: 1, 1: most })]), { width: 400 });
    const [, entries = ""] = /Positions per cell: {2}(.*) {2}blank no positions/.exec(text) ?? [];
    return entries.split("  ").map((entry) => {
      const [character = "", count = ""] = entry.split(" ");
      return [character.slice(1, -1), Number(count.replaceAll(",", "").replace(/–.*/, ""))];
    });
  }

  it("shows the exact lowest count of each character", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), (most) => {
        const legend = legendOf(most);
        const room = densityRoom(Object.fromEntries(Array.from({ length: most }, (_, at) => [at, at + 1])), {
          cellsX: Math.max(1, Math.min(most, 20)),
          cellsY: Math.max(1, Math.ceil(most / 20)),
        });
        for (const [at, value] of room.values.entries()) {
          if (value === null || room.most !== most) continue;
          const expected = legend.findLast(([, least]) => least <= at + 1)?.[0];
          const character = ".,-=+*#%@"[Math.min(8, Math.floor(value * 9))];
          expect([at + 1, character]).toEqual([at + 1, expected]);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("ranges from one position to the maximum in truecolor", () => {
    const text = bare(drawn(density([cave]), { color: 3, width: 90 }));
    expect(text).toContain(
      "Positions per cell:  ▐█▌ 1  ▐█▌ 3  ▐█▌ 15  ▐█▌ 62  ▐█▌ 250  ▐█▌ 1,000      no positions",
    );
  });
});

describe("a difference", () => {
  it("uses - and + without color, with a legend in percentage points", () => {
    expect(`\n${drawn(differences([changed]))}`).toMatchInlineSnapshot(`
      "
      Starfall: 400 positions in 0.8.0, 500 in 0.9.0, in 1 room

      Cave
      400 positions in 0.8.0, 500 in 0.9.0; largest increase at
      x 750, y 150 (+4.0 pp); largest decrease at x 50, y -150 (-4.0 pp)
      -200 ┤====----
           │====----
      -100 ┤    ....
           │    ....
         0 ┤                        ****
           │                        ****
       100 ┤                            ####
       200 ┤                            ####
           └┬───────┬───────┬───────┬──────┬
            0      200     400     600   800
      Percentage points, 0.9.0 minus 0.8.0:  '=' -4.0  '~' -2.7  '-' -1.3  '.' 0
      '+' +1.3  '*' +2.7  '#' +4.0  blank no positions in either

      Change of each cell's share of the room's positions, in percentage points.
      Colors are scaled to the largest change of each room.
      "
    `);
  });

  it("is blue for decreases, orange for increases and gray for no change", () => {
    const text = visible(drawn(differences([changed]), { color: 3 }));
    for (const color of ["86;180;233", "230;159;0", "96;96;96"]) expect(text).toContain(`38;2;${color}`);
  });

  it("shows which rooms have positions in only one build, and which were resampled", () => {
    const rooms = [
      { ...changed, missing: "a" as const, before: 0, single: cave },
      { ...changed, missing: "b" as const, total: 0, single: cave },
      { ...changed, resampled: true },
      changed,
    ];
    const text = drawn(differences(rooms), { width: 400, tty: false });
    expect(text).toContain(
      "Only in 0.9.0: 500 positions; no positions were recorded in 0.8.0, so this is the map of 0.9.0, not a difference",
    );
    expect(text).toContain(
      "Only in 0.8.0: 400 positions; no positions were recorded in 0.9.0, so this is the map of 0.8.0, not a difference",
    );
    expect(text).toContain("; drawn on a common grid\n");
    expect(text).toContain(
      "Players covered different areas in the two builds in some rooms, so both maps are drawn on a common grid.",
    );
    const all = drawn(differences([{ ...changed, resampled: true }]), { width: 400, tty: false });
    expect(all.match(/common grid/g)).toHaveLength(1);
    expect(drawn(differences([changed]))).not.toContain("common grid");
  });

  it("draws a room of only one build as the map of that build", () => {
    const room = { ...changed, missing: "a" as const, before: 0, single: cave };
    const text = drawn(differences([room]));
    expect(text).toContain("Positions per cell:");
    expect(text).not.toContain("Percentage points");
    expect(text.replaceAll("\n", " ")).toContain(
      "A room of only one build is drawn as the map of that build",
    );
    expect(text).toContain("no positions were recorded in 0.8.0");
    expect(text).not.toContain("Colors are scaled");
  });

  it("draws unchanged cells as unchanged", () => {
    const same = { ...changed, counts: changed.counts.map((count) => count && 0), most: 0 };
    const text = drawn(differences([{ ...same, values: same.counts }]));
    expect(text).toMatch(/\.\./);
    expect(text).not.toMatch(/NaN|Points/);
  });
});

describe("any view", () => {
  const options = fc.record({
    width: fc.integer({ min: 40, max: 240 }),
    color: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
    plain: fc.boolean(),
    palette: fc.constantFrom(...paletteNames),
  });

  it("fits the width and contains no control characters", () => {
    fc.assert(
      fc.property(anyView, options, (view, given) => {
        const text = drawn(view, given);
        expect(forbiddenIn(bare(text), "\n\u200d")).toEqual([]);
        expect(bare(text)).not.toMatch(/NaN|Infinity|undefined/);
        for (const line of linesOf(bare(text))) expect(stringWidth(line)).toBeLessThanOrEqual(given.width);
        if (given.plain) expect(text).not.toMatch(/[─│┤┬└█▀▄\x1b]/);
      }),
      { numRuns: 300 },
    );
  });
});
