/** Formats a page as text with 80 columns, as `playtest help <topic>` prints it. */
import { wrapText } from "../../src/render/wrap.ts";
import type { Block, Page } from "./page.ts";

const WIDTH = 80;
/** Longer terms are on a separate line. */
const MAX_TERM_LENGTH = 24;

export function formatText({ summary, blocks }: Page): string {
  return `${[summary, ...blocks.map(formatBlock)].join("\n\n")}\n`;
}

function formatBlock(block: Block): string {
  if (block.kind === "heading") return `${block.text}:`;
  if (block.kind === "paragraph") return wrapText(block.text, WIDTH).join("\n");
  if (block.kind === "code") return block.lines.map((line) => `  ${line}`).join("\n");
  const termLengths = block.items.map(([term]) => term.length).filter((length) => length <= MAX_TERM_LENGTH);
  const width = Math.max(0, ...termLengths) + 2;
  const indent = " ".repeat(width + 2);
  return block.items
    .map(([term, text]) => {
      const lines = wrapText(text, WIDTH - indent.length).join(`\n${indent}`);
      return term.length <= MAX_TERM_LENGTH
        ? `  ${term.padEnd(width)}${lines}`
        : `  ${term}\n${indent}${lines}`;
    })
    .join("\n");
}
