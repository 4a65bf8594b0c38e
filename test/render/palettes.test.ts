/** Palettes match the published colors, have increasing lightness, and contrast with the background. */
import { describe, expect, it } from "vitest";
import {
  difference,
  getPalette,
  type Name,
  paletteNames,
  type Rgb,
} from "../../src/render/palettes/index.ts";

/** Relative luminance of WCAG 2. */
function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const contrast = (a: Rgb, b: Rgb) => {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};

/** The color of xterm's 256-color palette with this number. */
function of256(number: number): Rgb {
  if (number >= 232) return [8 + 10 * (number - 232), 8 + 10 * (number - 232), 8 + 10 * (number - 232)];
  const level = (at: number) => (at === 0 ? 0 : 55 + 40 * at);
  const place = number - 16;
  return [level(Math.floor(place / 36)), level(Math.floor(place / 6) % 6), level(place % 6)];
}

/** The 16 colors of xterm and of the VGA text mode. */
const XTERM: Readonly<Partial<Record<Name, Rgb>>> = {
  black: [0, 0, 0],
  magenta: [205, 0, 205],
  cyan: [0, 205, 205],
  white: [229, 229, 229],
  blackBright: [127, 127, 127],
  redBright: [255, 0, 0],
  greenBright: [0, 255, 0],
  yellowBright: [255, 255, 0],
  blueBright: [92, 92, 255],
  cyanBright: [0, 255, 255],
  whiteBright: [255, 255, 255],
};
const VGA: Readonly<Partial<Record<Name, Rgb>>> = {
  black: [0, 0, 0],
  magenta: [170, 0, 170],
  cyan: [0, 170, 170],
  white: [170, 170, 170],
  blackBright: [85, 85, 85],
  redBright: [255, 85, 85],
  greenBright: [85, 255, 85],
  yellowBright: [255, 255, 85],
  blueBright: [85, 85, 255],
  cyanBright: [85, 255, 255],
  whiteBright: [255, 255, 255],
};
const shown = (sixteen: typeof XTERM, name: Name): Rgb => {
  const rgb = sixteen[name];
  if (!rgb) throw new RangeError(`No color for ${name}`);
  return rgb;
};

const STEPS = Array.from({ length: 101 }, (_, at) => at / 100);
const sequential = paletteNames.map((name) => getPalette(name));

describe("the published colors", () => {
  it.each([
    ["viridis", [66, 64, 134], [253, 231, 37]],
    ["cividis", [50, 67, 109], [254, 232, 56]],
    ["magma", [106, 28, 129], [252, 253, 191]],
  ] as const)("%s", (name, few, many) => {
    const palette = getPalette(name);
    expect([palette.rgb(0), palette.rgb(1)]).toEqual([few, many]);
    expect([palette.rgb(-1), palette.rgb(2), palette.rgb(Number.NaN)]).toEqual([few, many, few]);
  });

  it("differences range from sky blue through gray to orange", () => {
    expect([difference.rgb(-1), difference.rgb(0), difference.rgb(1)]).toEqual([
      [86, 180, 233],
      [96, 96, 96],
      [230, 159, 0],
    ]);
  });
});

describe.each(sequential)("$name", (palette) => {
  it("has increasing lightness at every color depth", () => {
    const ways: ((value: number) => Rgb)[] = [
      palette.rgb,
      (value) => of256(palette.of256(value)),
      (value) => shown(XTERM, palette.of16(value)),
      (value) => shown(VGA, palette.of16(value)),
    ];
    for (const way of ways) {
      for (const [at, step] of STEPS.entries()) {
        if (at === 0) continue;
        const [before, after] = [way(STEPS[at - 1] ?? 0), way(step)];
        if (String(before) !== String(after)) expect(luminance(after)).toBeGreaterThan(luminance(before));
      }
    }
  });
});

describe.each([...sequential, difference])("$name", (palette) => {
  it("contrasts with the background at every color depth", () => {
    const { none } = palette;
    for (const value of palette.kind === "diverging" ? STEPS.flatMap((step) => [step, -step]) : STEPS) {
      expect(contrast(palette.rgb(value), none.rgb)).toBeGreaterThan(1.85);
      expect(contrast(of256(palette.of256(value)), of256(none.of256))).toBeGreaterThan(1.85);
      for (const sixteen of [XTERM, VGA]) {
        const [ink, ground] = [shown(sixteen, palette.of16(value)), shown(sixteen, none.of16)];
        expect(contrast(ink, ground)).toBeGreaterThan(1.85);
      }
    }
  });
});

describe("a difference", () => {
  it("has one color for no change, and equally many for decreases and increases", () => {
    for (const look of [difference.of256, difference.of16] as ((value: number) => unknown)[]) {
      const looks = new Set(STEPS.flatMap((step) => [look(step), look(-step)]));
      const [fewer, more] = [
        new Set(STEPS.map((step) => look(-step))),
        new Set(STEPS.map((step) => look(step))),
      ];
      expect([fewer.size, looks.size]).toEqual([more.size, more.size * 2 - 1]);
      expect([...fewer].filter((one) => more.has(one))).toEqual([look(0)]);
    }
  });

  it("is distinguishable with any type of color vision deficiency", () => {
    const [fewer, same, more] = [difference.rgb(-1), difference.rgb(0), difference.rgb(1)];
    // People without red or green cones distinguish blue from yellow; those without blue cones, red from green.
    const yellowness = (rgb: Rgb) => (rgb[0] + rgb[1]) / 2 - rgb[2];
    const redness = (rgb: Rgb) => rgb[0] - rgb[1];
    for (const way of [yellowness, redness]) {
      expect(way(same) - way(fewer)).toBeGreaterThan(60);
      expect(way(more) - way(same)).toBeGreaterThan(60);
    }
  });
});
