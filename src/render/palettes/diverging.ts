/** The palette of differences: blue for a decrease, gray for no change, orange for an increase. */
import { createPalette } from "./palette.ts";

/**
 * The ends are the sky blue and orange of M. Okabe and K. Ito's palette (jfly.uni-koeln.de/color). People with any type
 * of color vision can distinguish them, and their lightness is similar. The middle is a darker gray, so that changes
 * stand out.
 */
export const differencePalette = createPalette({
  name: "difference",
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
