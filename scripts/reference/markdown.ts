/** A page as a file of docs/reference. */
import { wrapText } from "../../src/render/wrap.ts";
import { type Block, manualName, type Page } from "./page.ts";

const WIDTH = 120;

export function markdownOf(page: Page): string {
  const title = page.section === 1 ? manualName(page.name).replace("-", " ") : page.name;
  const made = "<!-- Made by `npm run generate` from the commands themselves. -->";
  return `${[made, `# ${title}`, paragraphOf(page.summary), ...page.blocks.map(drawn)].join("\n\n")}\n`;
}

function drawn(block: Block): string {
  if (block.kind === "heading") return `${"#".repeat(block.level + 1)} ${escaped(block.text)}`;
  if (block.kind === "paragraph") return paragraphOf(block.text);
  if (block.kind === "code") return [`\`\`\`${block.language}`, ...block.lines, "```"].join("\n");
  const rows = block.items.map(([term, text]) => [`\`${term}\``, escaped(text)] as const);
  const line = ([left, right]: readonly [string, string]) => `| ${cell(left)} | ${cell(right)} |`;
  return [line(block.header), "| --- | --- |", ...rows.map(line)].join("\n");
}

const paragraphOf = (text: string) => wrapText(escaped(text), WIDTH).join("\n");

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", "<br>");

/** Text whose Markdown is escaped, but for what stands between backticks. */
function escaped(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replace(/[\\*_[\]<>]/g, "\\$&")))
    .join("");
}
