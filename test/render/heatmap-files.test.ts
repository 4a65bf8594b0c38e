/** Heatmaps as SVG and HTML: well-formed for any text, reproducible, and without scripts. */

import { describe, expect, test } from "vitest";
import { heatmapPage } from "../../src/render/html/heatmap.ts";
import { heatmapFile } from "../../src/render/svg/heatmap.ts";
import fc from "../property.ts";
import { anyView, cave, density, densityRoom, differenceRoom, differences } from "./heatmap/sample-views.ts";
import { xmlFaultsOf } from "./well-formed.ts";

/** The elements of markup with the names of their attributes. */
function tagsOf(markup: string): Set<string> {
  const tags = new Set<string>();
  for (const [, name = "", rest = ""] of markup.matchAll(/<([a-zA-Z!/][^\s>]*)((?:[^>"]|"[^"]*")*)>/g)) {
    tags.add(name.replace("/", ""));
    for (const [, attribute] of rest.matchAll(/\s([a-zA-Z:-]+)=/g)) tags.add(`@${attribute}`);
  }
  return tags;
}

const hostile = 'x</text><script>alert(1)</script>" onload="alert(2)\u0000\u0001\ufffe\ud800]]>';

describe("any view", () => {
  test("is well-formed SVG with only known elements and finite numbers", async () => {
    const known = new Set(
      [density([cave, cave]), differences([differenceRoom({ 0: 1 })])].flatMap((view) => [
        ...tagsOf(heatmapFile(view)),
      ]),
    );
    const drawn: string[] = [];
    fc.assert(
      fc.property(anyView, (view) => {
        const svg = heatmapFile(view);
        expect(heatmapFile(view)).toBe(svg);
        drawn.push(svg);
        expect([...tagsOf(svg)].filter((tag) => !known.has(tag))).toEqual([]);
        expect(svg).not.toMatch(/NaN|Infinity/);
      }),
      { numRuns: 40 },
    );
    expect(await xmlFaultsOf(drawn)).toEqual([]);
    expect(
      await xmlFaultsOf(["<svg xmlns='http://www.w3.org/2000/svg'><text>\u0001</text></svg>"]),
    ).not.toEqual([]);
  });

  test("is a page with only known elements", () => {
    const known = new Set(
      [density([cave, cave]), differences([differenceRoom({ 0: 1 })])].flatMap((view) => [
        ...tagsOf(heatmapPage(view)),
      ]),
    );
    fc.assert(
      fc.property(anyView, (view) => {
        const unknown = [...tagsOf(heatmapPage(view))].filter((tag) => !known.has(tag));
        expect(unknown).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

test("markup in names and characters that XML forbids are escaped", async () => {
  const room = densityRoom({ 0: 3 }, { room: hostile });
  for (const text of [
    heatmapFile(density([room], { game: hostile, about: hostile })),
    heatmapPage(density([room], { game: hostile, about: hostile })),
  ]) {
    expect(text).not.toContain("<script");
    expect(text).not.toMatch(/[\0\u0001\ufffe\ud800]/);
    expect(text).toContain("&lt;script&gt;");
  }
  expect(await xmlFaultsOf([heatmapFile(density([room]))])).toEqual([]);
});

describe("the drawing", () => {
  test("draws each cell once at its position, in the colors of the palette", () => {
    const svg = heatmapFile(density([cave]));
    // 8 by 4 cells of 87 pixels. The densest is the last cell of the last row.
    expect(svg).toMatch(/<path fill="#fde725" d="M\d+ \d+H\d+V\d+H\d+z"\/?>/);
    expect(heatmapFile(density([cave]), { palette: "magma" })).toContain("#fcfdbf");
    expect(svg).toContain('fill="#101010"');
  });

  test("labels colors with positions, and the color without positions", () => {
    const svg = heatmapFile(density([cave]));
    for (const label of ["Positions per cell", ">1,000<", ">100<", ">no positions<"])
      expect(svg).toContain(label);
    const change = heatmapFile(differences([differenceRoom({ 0: -0.04, 31: 0.02 })]));
    for (const label of [">-4.0<", ">+4.0<", "0.9.0 minus 0.8.0", "no positions in either"]) {
      expect(change).toContain(label);
    }
  });

  test("keeps the shape of the room", () => {
    const shapeOf = (bounds: { xMin: number; xMax: number; yMin: number; yMax: number }) => {
      const svg = heatmapFile(density([densityRoom({ 0: 1 }, { bounds, cellsX: 32, cellsY: 18 })]));
      const [, width, height] = /<rect width="(\d+)" height="(\d+)" fill="#101010"/.exec(svg) ?? [];
      return Number(width) / Number(height);
    };
    expect(shapeOf({ xMin: 0, xMax: 200, yMin: 0, yMax: 100 })).toBeCloseTo(2, 0);
    expect(shapeOf({ xMin: 0, xMax: 100, yMin: 0, yMax: 100 })).toBeCloseTo(1, 0);
    expect(shapeOf({ xMin: 0, xMax: 50, yMin: 0, yMax: 100 })).toBeCloseTo(0.5, 0);
  });

  test("draws the level image behind the cells, which are more transparent for lower values", () => {
    const map = {
      uri: "data:image/png;base64,AA==",
      bounds: { xMin: -400, xMax: 1200, yMin: -400, yMax: 400 },
    };
    const svg = heatmapFile(density([cave]), { map });
    expect(svg).toContain('preserveAspectRatio="none" href="data:image/png;base64,AA=="');
    const opacities = [...svg.matchAll(/fill-opacity="([\d.]+)"/g)].map(([, one]) => Number(one));
    expect(opacities).toContain(0.9);
    expect(Math.min(...opacities)).toBeLessThan(0.5);
    expect(svg.indexOf("<image")).toBeLessThan(svg.indexOf("fill-opacity"));
  });
});

describe("the page", () => {
  test("lists the densest cells in tables, without scripts or external resources", () => {
    const page = heatmapPage(density([cave]));
    expect(page).toContain("<caption>Cells in Cave</caption>");
    expect(page).toMatch(/<th scope="row">700 to 800<\/th><td>100 to 200<\/td><td class="right">1,000<\/td>/);
    expect(page).toContain("default-src &#39;none&#39;");
    expect(page).not.toMatch(/<script|<link|src="http|url\(|@import/);
  });
});
