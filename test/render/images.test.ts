/** Terminal images, decoded like a terminal does. */

import { describe, expect, it } from "vitest";
import { iterm2Image, kittyImage, throughTmux } from "../../src/render/images/protocols.ts";
import { quantize } from "../../src/render/images/quantize.ts";
import { sixelImage } from "../../src/render/images/sixel.ts";
import fc from "../property.ts";

const bytes = fc.uint8Array({ maxLength: 20_000 });

describe("kitty", () => {
  it("receives the PNG in chunks of the allowed size, with m=0 in the last", () => {
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 300 }), (png, columns) => {
        const sequences = kittyImage(png, columns);
        const parts = sequences.map((sequence) => /^\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\$/.exec(sequence));
        expect(parts).not.toContain(null);
        for (const [at, part] of parts.entries()) {
          expect((part?.[2] ?? "").length).toBeLessThanOrEqual(4096);
          if (at < parts.length - 1) expect((part?.[2] ?? "").length % 4).toBe(0);
          expect(part?.[1]?.endsWith(`m=${at < parts.length - 1 ? 1 : 0}`)).toBe(true);
          expect(part?.[1]?.includes("q=2")).toBe(true);
          expect(part?.[1]?.includes(`a=T,f=100,q=2,c=${columns}`)).toBe(at === 0);
        }
        const data = parts.map((part) => part?.[2]).join("");
        expect(Buffer.from(data, "base64").equals(png)).toBe(true);
      }),
    );
  });
});

describe("iTerm2", () => {
  it("receives the PNG and its size in one sequence", () => {
    fc.assert(
      fc.property(bytes, (png) => {
        const [sequence = "", ...more] = iterm2Image(png, 80);
        const [, keys = "", data = ""] = /^\x1b\]1337;File=([^:]*):(.*)\x07$/.exec(sequence) ?? [];
        expect(more).toEqual([]);
        expect(keys.split(";")).toEqual([
          "inline=1",
          `size=${png.length}`,
          "width=80",
          "preserveAspectRatio=1",
        ]);
        expect(Buffer.from(data, "base64").equals(png)).toBe(true);
      }),
    );
  });
});

describe("within tmux", () => {
  it("a sequence reaches the terminal unchanged", () => {
    const [sequence = ""] = kittyImage(new Uint8Array([1, 2, 3]), 10);
    const wrapped = throughTmux(sequence);
    expect(wrapped.startsWith("\x1bPtmux;\x1b\x1b_G")).toBe(true);
    // tmux reads up to the first ESC \ that is not doubled, and replaces each doubled ESC with one.
    const inner = wrapped.slice("\x1bPtmux;".length, -2).replaceAll("\x1b\x1b", "\x1b");
    expect([inner, wrapped.slice(-2)]).toEqual([sequence, "\x1b\\"]);
  });
});

interface Drawn {
  readonly width: number;
  readonly height: number;
  /** Percentages of red, green and blue; null if nothing was drawn. */
  readonly pixels: readonly (string | null)[];
}

/** Decodes a sixel image like a VT340. */
function decode(sequence: string): Drawn {
  const [, size = "", body = ""] = /^\x1bP0;1q"1;1;(\d+;\d+)(.*)\x1b\\$/s.exec(sequence) ?? [];
  const [width = 0, height = 0] = size.split(";").map(Number);
  const pixels = new Array<string | null>(width * height).fill(null);
  const colors = new Map<string, string>();
  let [color, x, top] = ["", 0, 0];
  const draw = (bits: number) => {
    for (let row = 0; row < 6; row++) {
      if (!(bits & (1 << row))) continue;
      expect(x < width && top + row < height).toBe(true);
      pixels[(top + row) * width + x] = colors.get(color) ?? "none";
    }
    x += 1;
  };
  for (const [token] of body.matchAll(/#\d+;2;\d+;\d+;\d+|#\d+|!\d+[?-~]|[?-~]|\$|-/g)) {
    const [, register = "", percentages] = /^#(\d+)(?:;2;(.*))?$/.exec(token) ?? [];
    if (percentages !== undefined) colors.set(register, percentages);
    else if (token.startsWith("#")) color = register;
    else if (token === "$") x = 0;
    else if (token === "-") [x, top] = [0, top + 6];
    else {
      const count = Number(/^!(\d+)/.exec(token)?.[1] ?? 1);
      for (let time = 0; time < count; time++) draw((token.codePointAt(token.length - 1) ?? 63) - 63);
    }
  }
  return { width, height, pixels };
}

describe("sixel", () => {
  const images = fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 20 }), fc.infiniteStream(fc.nat(5)))
    .map(([width, height, colors]) => {
      const rgba = new Uint8Array(width * height * 4);
      for (let at = 0; at < width * height; at++) {
        const color = colors.next().value ?? 0;
        rgba.set([color * 51, 255 - color * 51, 17 * color, color === 5 ? 0 : 255], at * 4);
      }
      return { width, height, rgba };
    });

  it("draws every pixel in its color, and no transparent pixels", () => {
    fc.assert(
      fc.property(images, (image) => {
        const drawn = decode(sixelImage(image));
        expect([drawn.width, drawn.height]).toEqual([image.width, image.height]);
        const percent = (channel: number) => Math.round(((image.rgba[channel] ?? 0) * 100) / 255);
        for (const [at, shown] of drawn.pixels.entries()) {
          const expected = [at * 4, at * 4 + 1, at * 4 + 2].map(percent).join(";");
          expect(shown).toBe(image.rgba[at * 4 + 3] === 0 ? null : expected);
        }
      }),
    );
  });

  it("encodes an area of one color compactly", () => {
    const rgba = new Uint8Array(600 * 600 * 4).fill(255);
    expect(sixelImage({ width: 600, height: 600, rgba }).length).toBeLessThan(1500);
  });
});

describe("quantize", () => {
  it("keeps the 256 most frequent colors, and replaces others with the closest", () => {
    const width = 300;
    const rgba = new Uint8Array(width * 2 * 4);
    for (let at = 0; at < width * 2; at++) {
      // 300 colors, the first 256 of them twice.
      const color = at < width ? at : at - width < 256 ? at - width : 0;
      rgba.set([color % 256, Math.floor(color / 256) * 200, 0, 255], at * 4);
    }
    const { colors, at } = quantize({ width, height: 2, rgba });
    expect(colors).toHaveLength(256);
    for (let pixel = 0; pixel < 256; pixel++) expect(colors[at[pixel] ?? -1]).toEqual([pixel, 0, 0]);
    expect(colors[at[256] ?? -1]).toEqual([0, 0, 0]);
    expect(colors[at[299] ?? -1]).toEqual([43, 0, 0]);
  });
});
