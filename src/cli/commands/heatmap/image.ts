/** heatmap --image: detects the image protocol of the terminal and draws the heatmap with it. */
import type { ImageProtocol } from "../../../render/images/protocols.ts";
import type { Context } from "../../context.ts";
import type { Environment } from "../../environment.ts";
import { fail } from "../../errors.ts";

export type ImageChoice = "auto" | ImageProtocol;

/** Maximum width of an image in columns. In a wider one, the text would be larger than the terminal's. */
const MAX_COLUMNS = 120;
/** Assumed width of a terminal column in pixels. Sixel images are not scaled by the terminal. */
const COLUMN_PIXELS = 8;
/** Scale factor for protocols that let the terminal scale the image. */
const IMAGE_SCALE = 2;

/**
 * The protocol to draw with, or null for characters: without --image, and with `auto` if the terminal is not known to
 * support images, which is reported. Throws `usage` for a specific protocol if standard output is not a terminal.
 */
export async function chooseImageProtocol(
  choice: ImageChoice | undefined,
  context: Context,
): Promise<ImageProtocol | null> {
  if (choice === undefined) return null;
  const { tty, plain } = context.render;
  if (choice === "auto") {
    if (!tty || plain) return null;
    const detected = detectImageProtocol(context.io.env);
    if (detected === null) {
      await context.notify(
        "This terminal is not known to support images. The heatmap is drawn with characters.",
      );
    }
    return detected;
  }
  if (!tty) {
    throw fail("usage", {
      message: `--image ${choice} requires a terminal, but standard output is not one`,
      hint: "Use --out heatmap.png to write a file.",
    });
  }
  return choice;
}

/** Detects the protocol from environment variables; null if unknown. */
function detectImageProtocol({ TERM = "", TERM_PROGRAM, LC_TERMINAL, KITTY_WINDOW_ID }: Environment) {
  const program = TERM_PROGRAM ?? "";
  if (KITTY_WINDOW_ID || /kitty|ghostty/.test(TERM) || program === "ghostty") return "kitty";
  if (program === "iTerm.app" || program === "WezTerm" || LC_TERMINAL === "iTerm2") return "iterm2";
  return /^(foot|mlterm|contour|yaft|sixel)|-sixel/.test(TERM) ? "sixel" : null;
}

/**
 * The image as escape sequences, ending in a line feed. In tmux, sequences for kitty and iTerm2 are wrapped so that tmux
 * passes them through. tmux draws sixel images itself.
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
    "In tmux, images require `set -g allow-passthrough on` and do not scroll with the text.",
  );
  return `${sequences.map(throughTmux).join("")}\n`;
}
