/** heatmap --image: which images the terminal shows, and the picture as one of them. */
import type { ImageProtocol } from "../../../render/images/protocols.ts";
import type { Context } from "../../context.ts";
import type { Environment } from "../../environment.ts";
import { fail } from "../../errors.ts";

export type ImageChoice = "auto" | ImageProtocol;

/** Columns that an image takes at most: larger its letters are larger than the terminal's. */
const MAX_COLUMNS = 120;
/** Pixels that a terminal's column has at least, mostly: sixels are drawn pixel by pixel. */
const COLUMN_PIXELS = 8;
/** Pixels of an image to one of its drawing, where the terminal scales it. */
const IMAGE_SCALE = 2;

/**
 * The protocol to draw with; null to draw with characters: where nothing is asked for, and where `auto` finds no
 * terminal that is known to show images, which it says. Throws `usage` where a named one has no terminal to go to.
 */
export async function chooseImageProtocol(
  choice: ImageChoice | undefined,
  context: Context,
): Promise<ImageProtocol | null> {
  if (choice === undefined) return null;
  const { tty, plain } = context.render;
  if (choice === "auto") {
    if (!tty || plain) return null;
    const found = detectImageProtocol(context.io.env);
    if (found === null) {
      await context.notify("This terminal is not known to show images: drawn with characters");
    }
    return found;
  }
  if (!tty) {
    throw fail("usage", {
      message: `--image ${choice} draws at a terminal, and stdout is none`,
      hint: "--out heatmap.png writes a file.",
    });
  }
  return choice;
}

/** What the terminal says of itself; null where that is nothing of images. */
function detectImageProtocol({ TERM = "", TERM_PROGRAM, LC_TERMINAL, KITTY_WINDOW_ID }: Environment) {
  const program = TERM_PROGRAM ?? "";
  if (KITTY_WINDOW_ID || /kitty|ghostty/.test(TERM) || program === "ghostty") return "kitty";
  if (program === "iTerm.app" || program === "WezTerm" || LC_TERMINAL === "iTerm2") return "iterm2";
  return /^(foot|mlterm|contour|yaft|sixel)|-sixel/.test(TERM) ? "sixel" : null;
}

/**
 * The drawing as escape sequences, ending in a line feed. Within tmux those of kitty and iTerm2 are wrapped so that tmux
 * hands them on; sixels tmux draws itself.
 */
export async function drawImage(svg: string, protocol: ImageProtocol, context: Context): Promise<string> {
  const { renderPng } = await import("../../image-files/png.ts");
  const columns = Math.min(context.render.width, MAX_COLUMNS);
  if (protocol === "sixel") {
    const { sixelImage } = await import("../../../render/images/sixel.ts");
    const image = await renderPng(svg, 1);
    const space = columns * COLUMN_PIXELS;
    return `${sixelImage(image.width <= space ? image : await renderPng(svg, space / image.width))}\n`;
  }
  const { kittyImage, iterm2Image, throughTmux } = await import("../../../render/images/protocols.ts");
  const { png } = await renderPng(svg, IMAGE_SCALE);
  const sequences = protocol === "kitty" ? kittyImage(png, columns) : iterm2Image(png, columns);
  if (!context.io.env.TMUX) return `${sequences.join("")}\n`;
  await context.notify(
    "Within tmux images need `set -g allow-passthrough on`, and stay where they are drawn",
  );
  return `${sequences.map(throughTmux).join("")}\n`;
}
