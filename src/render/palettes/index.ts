/** The palettes, by the names that users select. */
import { createPalette, type Palette } from "./palette.ts";

/**
 * Palettes of densities, whose lightness is perceptually uniform, also for people with color vision deficiency.
 * Viridis, magma (S. van der Walt, N. Smith and E. Firing, CC0) and cividis (J. Nuñez, C. Anderton and R. Renslow, 2018,
 * doi.org/10.1371/journal.pone.0199239) as shipped with Matplotlib: every sixteenth of the 256 colors, without the first
 * few, which are as dark as the background for no data.
 */
const viridis = createPalette({
  kind: "sequential",
  rgb: [
    [66, 64, 134],
    [59, 82, 139],
    [51, 99, 141],
    [44, 114, 142],
    [38, 130, 142],
    [33, 145, 140],
    [31, 160, 136],
    [40, 174, 128],
    [63, 188, 115],
    [94, 201, 98],
    [132, 212, 75],
    [173, 220, 48],
    [216, 226, 25],
    [253, 231, 37],
  ],
  of256: [55, 24, 30, 36, 71, 77, 113, 148, 184, 226],
  of16: ["blueBright", "cyan", "greenBright", "yellowBright"],
});

const cividis = createPalette({
  kind: "sequential",
  rgb: [
    [50, 67, 109],
    [67, 78, 108],
    [83, 90, 109],
    [97, 101, 111],
    [111, 112, 115],
    [125, 124, 120],
    [139, 135, 120],
    [154, 147, 118],
    [170, 160, 115],
    [187, 173, 109],
    [204, 186, 100],
    [221, 200, 88],
    [239, 215, 72],
    [254, 232, 56],
  ],
  of256: [24, 60, 243, 245, 143, 179, 185, 221, 227],
  of16: ["blueBright", "cyan", "white", "yellowBright"],
});

const magma = createPalette({
  kind: "sequential",
  rgb: [
    [106, 28, 129],
    [131, 38, 129],
    [156, 46, 127],
    [183, 55, 121],
    [207, 64, 112],
    [229, 80, 100],
    [244, 105, 92],
    [251, 135, 97],
    [254, 165, 113],
    [254, 194, 135],
    [253, 224, 161],
    [252, 253, 191],
  ],
  of256: [90, 126, 168, 203, 209, 216, 222, 229],
  of16: ["magenta", "redBright", "yellowBright", "whiteBright"],
});

export type { AnsiColorName as Name, Palette, PaletteColor as Ink, Rgb } from "./palette.ts";

export const paletteNames = ["viridis", "cividis", "magma"] as const;
export type PaletteName = (typeof paletteNames)[number];

export function getPalette(name: PaletteName = "viridis"): Palette {
  return { viridis, cividis, magma }[name];
}

/**
 * The ends are the sky blue and orange of M. Okabe and K. Ito's palette (jfly.uni-koeln.de/color). People with any type
 * of color vision can distinguish them, and their lightness is similar. The middle is a darker gray, so that changes
 * stand out.
 */
export const difference = createPalette({
  kind: "diverging",
  rgb: [
    [86, 180, 233],
    [91, 138, 165],
    [96, 96, 96],
    [163, 128, 48],
    [230, 159, 0],
  ],
  of256: [74, 67, 60, 241, 94, 136, 214],
  of16: ["cyanBright", "blueBright", "blackBright", "redBright", "yellowBright"],
});
