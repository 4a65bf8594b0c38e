/** Palettes: map numbers to colors for files and for terminals with 16, 256 or 16 million colors. */

export type Rgb = readonly [red: number, green: number, blue: number];

type DarkColorName = "black" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "white";
/** Chalk's names of the 16 foreground colors. */
export type AnsiColorName = DarkColorName | `${DarkColorName}Bright`;

/** A color as truecolor, as one of the 256 colors (16 to 255) and as one of the 16 colors. */
export interface PaletteColor {
  readonly rgb: Rgb;
  readonly of256: number;
  readonly of16: AnsiColorName;
}

/**
 * Maps numbers to colors: 0 to 1 for a sequential palette, -1 to 1 for a diverging one. Numbers outside are clamped.
 * Heatmaps are drawn on the color `none`, so that they look the same on light and dark backgrounds. Every color has a
 * contrast of at least 1.85 to `none` (WCAG 2, relative luminance), so that low values differ visibly from no data.
 */
export interface Palette {
  readonly kind: "sequential" | "diverging";
  /** The background, which is visible where there is no data. */
  readonly none: PaletteColor;
  rgb(value: number): Rgb;
  of256(value: number): number;
  of16(value: number): AnsiColorName;
}

/** The definition of a palette: its colors from the lowest number to the highest, at equal steps. */
export interface PaletteStops {
  readonly kind: Palette["kind"];
  readonly rgb: readonly [Rgb, ...Rgb[]];
  readonly of256: readonly [number, ...number[]];
  readonly of16: readonly [AnsiColorName, ...AnsiColorName[]];
}

/** Nearly black, and darker than the dark end of every palette. */
const BACKGROUND: PaletteColor = { rgb: [16, 16, 16], of256: 233, of16: "black" };

/** Creates a palette. Truecolor is interpolated between the stops; otherwise the closest step is used. */
export function createPalette({ kind, rgb, of256, of16 }: PaletteStops): Palette {
  const share = (value: number) => {
    const position = kind === "diverging" ? (value + 1) / 2 : value;
    return Math.min(1, Math.max(0, Number.isNaN(position) ? 0 : position));
  };
  return {
    kind,
    none: BACKGROUND,
    rgb: (value) => interpolate(rgb, share(value)),
    of256: (value) => pickStep(of256, share(value)),
    of16: (value) => pickStep(of16, share(value)),
  };
}

function interpolate(stops: PaletteStops["rgb"], share: number): Rgb {
  const position = share * (stops.length - 1);
  const below = Math.floor(position);
  const low = stops[below] ?? stops[0];
  const high = stops[below + 1] ?? low;
  const mix = (channel: 0 | 1 | 2) =>
    Math.round(low[channel] + (high[channel] - low[channel]) * (position - below));
  return [mix(0), mix(1), mix(2)];
}

function pickStep<T>(steps: readonly [T, ...T[]], share: number): T {
  return steps[Math.min(steps.length - 1, Math.floor(share * steps.length))] ?? steps[0];
}

/** Formats a color for SVG and CSS. */
export const toCssColor = ([red, green, blue]: Rgb) =>
  `#${[red, green, blue].map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
