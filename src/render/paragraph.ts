/** Wraps text to the width of the terminal, with an indent. */
import type { RenderOptions } from "./options.ts";
import { cleanBlock } from "./text.ts";
import { wrapText } from "./wrap.ts";

/** The width without a terminal, in columns. */
const DEFAULT_WIDTH = 100;

/** The wrapped lines of a text, cleaned and indented. */
export function renderParagraph(
  text: string,
  indent: string,
  { tty, width }: Pick<RenderOptions, "tty" | "width">,
): string[] {
  const available = (tty ? width : DEFAULT_WIDTH) - indent.length;
  return wrapText(cleanBlock(text), available).map((line) => `${indent}${line}`);
}
