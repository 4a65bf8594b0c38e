/** Wraps text to the width of the terminal, with an indent. */
import type { RenderOptions } from "./options.ts";
import { painter, type Style } from "./style.ts";
import { cleanBlock, cleanLine } from "./text.ts";
import { wrapText } from "./wrap.ts";

/** The width without a terminal, in columns. */
const DEFAULT_WIDTH = 100;

/** The wrapped lines of a text, cleaned, indented and in a style. */
export function renderParagraph(
  text: string,
  indent: string,
  options: Pick<RenderOptions, "tty" | "width" | "color" | "plain">,
  style: Style | null = null,
): string[] {
  const available = (options.tty ? options.width : DEFAULT_WIDTH) - indent.length;
  const lines = wrapText(cleanBlock(text), available).map((line) => `${indent}${line}`);
  return style === null ? lines : lines.map((line) => painter(options)(line, style));
}

/** The wrapped lines of a text as one paragraph in a style. */
export const paintParagraph = (text: string, style: Style, options: RenderOptions, indent = ""): string[] =>
  renderParagraph(cleanLine(text), indent, options, style);
