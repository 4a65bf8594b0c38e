/** The palettes, by the names that users select. */
import type { Palette } from "./palette.ts";
import { cividis, magma, viridis } from "./sequential.ts";

export { differencePalette as difference } from "./diverging.ts";
export type { AnsiColorName as Name, Palette, PaletteColor as Ink, Rgb } from "./palette.ts";

export const paletteNames = ["viridis", "cividis", "magma"] as const;
export type PaletteName = (typeof paletteNames)[number];

/** Returns the palette with this name. */
export function getPalette(name: PaletteName = "viridis"): Palette {
  return { viridis, cividis, magma }[name];
}
