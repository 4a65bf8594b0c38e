/** Draws the picture of the README: the comparison of two builds of the demo beside the heatmap of its new room. */
import { toPalettePng } from "./palette-png.ts";
import { drawTerminal, renderPng } from "./terminal-svg.ts";

/** Space around the parts, pixels. */
const GAP = 24;

/** The commands whose output the picture shows, with the paragraphs of it that are shown. */
export const pictureParts = [
  { command: "playtest builds compare previous latest --game ember --color always", paragraphs: [0, 2] },
  {
    command: "FORCE_COLOR=3 playtest heatmap --game ember --build latest --room furnace --marks deaths",
    paragraphs: [1, 2],
  },
] as const;

/** Returns the picture as PNG. `outputs` are those of the commands of `pictureParts`. */
export async function drawReadmePicture(outputs: readonly string[]): Promise<Buffer> {
  const parts = outputs.map((text, at) => {
    const shown = text.split("\n\n").slice(...(pictureParts[at]?.paragraphs ?? []));
    return drawTerminal(shown.join("\n\n"), "light");
  });
  const height = Math.max(...parts.map((part) => part.height)) + 2 * GAP;
  let x = GAP;
  const placed = parts.map(({ svg, width }) => {
    const part = `<svg x="${x}" y="${GAP}"${svg.slice("<svg".length)}`;
    x += width + GAP;
    return part;
  });
  const ground = `<rect width="${x}" height="${height}" fill="#ffffff"/>`;
  return toPalettePng(
    await renderPng(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${x}" height="${height}">${ground}${placed.join("")}</svg>`,
    ),
  );
}
