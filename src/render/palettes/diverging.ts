/** The palette of differences: blue for fewer, grey for as many, orange for more. */
import { createPalette } from "./palette.ts";

/**
 * The ends are sky blue and orange of M. Okabe and K. Ito's set, which everyone tells apart whatever colours they see
 * (jfly.uni-koeln.de/color), and about as light as each other; the middle is grey and darker, so that what changed
 * stands out of what did not.
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
