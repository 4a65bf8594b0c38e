/** Sets a text for people as lines that fit the terminal, indented. */
import type { RenderOptions } from "./options.ts";
import { cleanBlock } from "./text.ts";
import { wrapText } from "./wrap.ts";

/** Lines are broken so wide where there is no terminal. */
const DEFAULT_WIDTH = 100;

/** The cleaned lines of a text from anywhere, each after the indent. */
export function renderParagraph(
  text: string,
  indent: string,
  { tty, width }: Pick<RenderOptions, "tty" | "width">,
): string[] {
  const room = (tty ? width : DEFAULT_WIDTH) - indent.length;
  return wrapText(cleanBlock(text), room).map((line) => `${indent}${line}`);
}
