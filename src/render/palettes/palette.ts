/** What a palette is: a colour for a number, in every kind of terminal and in files. */

export type Rgb = readonly [red: number, green: number, blue: number];

type DarkColorName = "black" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "white";
/** Names of the 16 colours, as chalk has them for the foreground. */
export type AnsiColorName = DarkColorName | `${DarkColorName}Bright`;

/** One colour as truecolor, as one of 256 (16 to 255) and as one of 16. */
export interface PaletteColor {
  readonly rgb: Rgb;
  readonly of256: number;
  readonly of16: AnsiColorName;
}

/**
 * Colours of numbers: 0 to 1 of a sequential palette, -1 to 1 of a diverging one; beyond, that of the nearer end.
 * A picture is drawn on the palette's own `none`, so that it looks the same on a light and on a dark background:
 * every colour has a contrast of at least 1.85 to it (WCAG 2, relative luminance), so few is never taken for no data.
 */
export interface Palette {
  readonly name: string;
  readonly kind: "sequential" | "diverging";
  /** The ground of the picture, which shows where there is no data. */
  readonly none: PaletteColor;
  rgb(value: number): Rgb;
  of256(value: number): number;
  of16(value: number): AnsiColorName;
}

/** A palette as it is written down: its colours from the lowest number to the highest, at even steps. */
export interface PaletteStops {
  readonly name: string;
  readonly kind: Palette["kind"];
  readonly rgb: readonly [Rgb, ...Rgb[]];
  readonly of256: readonly [number, ...number[]];
  readonly of16: readonly [AnsiColorName, ...AnsiColorName[]];
}

/** Nearly black: the dark end of every palette is lighter, and the light end is far from it. */
const BACKGROUND: PaletteColor = { rgb: [16, 16, 16], of256: 233, of16: "black" };

/** The palette of stops: truecolor between them, the nearest step of fewer colours. */
export function createPalette({ name, kind, rgb, of256, of16 }: PaletteStops): Palette {
  const share = (value: number) => {
    const place = kind === "diverging" ? (value + 1) / 2 : value;
    return Math.min(1, Math.max(0, Number.isNaN(place) ? 0 : place));
  };
  return {
    name,
    kind,
    none: BACKGROUND,
    rgb: (value) => interpolate(rgb, share(value)),
    of256: (value) => pickStep(of256, share(value)),
    of16: (value) => pickStep(of16, share(value)),
  };
}

function interpolate(stops: PaletteStops["rgb"], share: number): Rgb {
  const place = share * (stops.length - 1);
  const below = Math.floor(place);
  const low = stops[below] ?? stops[0];
  const high = stops[below + 1] ?? low;
  const mix = (channel: 0 | 1 | 2) =>
    Math.round(low[channel] + (high[channel] - low[channel]) * (place - below));
  return [mix(0), mix(1), mix(2)];
}

function pickStep<T>(steps: readonly [T, ...T[]], share: number): T {
  return steps[Math.min(steps.length - 1, Math.floor(share * steps.length))] ?? steps[0];
}
