/** A page as text of 80 columns, as `playtest help <topic>` prints it. */
import { wrapText } from "../../src/render/wrap.ts";
import type { Block, Page } from "./page.ts";

const WIDTH = 80;
/** Terms longer than this stand on a line of their own. */
const LONGEST_TERM = 24;

export function textOf({ summary, blocks }: Page): string {
  return `${[summary, ...blocks.map(drawn)].join("\n\n")}\n`;
}

function drawn(block: Block): string {
  if (block.kind === "heading") return `${block.text}:`;
  if (block.kind === "paragraph") return wrapText(block.text, WIDTH).join("\n");
  if (block.kind === "code") return block.lines.map((line) => `  ${line}`).join("\n");
  const fitting = block.items.map(([term]) => term.length).filter((length) => length <= LONGEST_TERM);
  const width = Math.max(0, ...fitting) + 2;
  const indent = " ".repeat(width + 2);
  return block.items
    .map(([term, text]) => {
      const lines = wrapText(text, WIDTH - indent.length).join(`\n${indent}`);
      return term.length <= LONGEST_TERM ? `  ${term.padEnd(width)}${lines}` : `  ${term}\n${indent}${lines}`;
    })
    .join("\n");
}
