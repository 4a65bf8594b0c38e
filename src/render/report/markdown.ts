/** Writes a report as Markdown, for a wiki or a pull request: the same sections, pictures told in words. */
import { truncateText } from "../gate/words.ts";
import { escapeMarkdown } from "../markdown.ts";
import { withoutCommands } from "../text.ts";
import type { ReportBlock, ReportCell, ReportDocument, TableBlock } from "./blocks.ts";

/** A text takes at most so many units before it is escaped, so that one cannot push out the others. */
const MAX_TEXT = 600;

const marks = { passed: "✅", failed: "❌", inconclusive: "❔" } as const;

/** The whole document, ending in a line feed. */
export function reportMarkdown({
  title,
  subtitle,
  verdict,
  facts,
  sections,
  footer,
}: ReportDocument): string {
  const figures = facts.map(({ label, value }) => `**${safe(value)}** ${safe(label)}`).join(" · ");
  const parts = [
    `# ${safe(title)}`,
    opening(subtitle),
    `## ${marks[verdict.state]} ${safe(verdict.title)}`,
    opening(verdict.sentence),
    ...(verdict.reasons.length > 0
      ? [verdict.reasons.map((reason) => `- ${opening(reason)}`).join("\n")]
      : []),
    figures,
    ...sections.flatMap((section) => [`## ${safe(section.title)}`, ...section.blocks.map(block)]),
    "---",
    opening(footer),
  ];
  return withoutCommands(`${parts.join("\n\n")}\n`);
}

function block(one: ReportBlock): string {
  switch (one.kind) {
    case "text":
      return opening(one.text);
    case "note":
      return `_${safe(one.text)}_`;
    case "missing":
      return `> ${opening(one.text)}`;
    case "heading":
      return `### ${safe(one.text)}`;
    case "list":
      return one.items
        .map(
          (cells) => `- ${cells.map(({ text }, at) => (at === 0 ? opening(text) : safe(text))).join(" · ")}`,
        )
        .join("\n");
    case "quotes":
      return one.quotes.map(({ text, source }) => `> ${opening(text)}\n>\n> ${opening(source)}`).join("\n\n");
    case "rooms":
      return one.rooms.map(({ room, told }) => `- **${safe(room.room)}**: ${safe(told)}`).join("\n");
    case "table":
      return table(one);
  }
}

function table({ columns, groups }: TableBlock): string {
  const rule = columns.map(({ right }) => (right ? "---:" : "---"));
  const rows = groups.flatMap(({ title, rows }) => [
    ...(title === "" ? [] : [row([`**${safe(title)}**`, ...columns.slice(1).map(() => "")])]),
    ...rows.map((cells) => row(cells.map(inline))),
  ]);
  return [row(columns.map(({ title }) => safe(title))), row(rule), ...rows].join("\n");
}

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const inline = ({ text, under }: ReportCell) =>
  under === undefined ? safe(text) : `${safe(text)}<br>${safe(under)}`;
/** Never empty where Markdown would end its mark, and one line. */
const safe = (text: string) => escapeMarkdown(truncateText(text, MAX_TEXT)) || "–";
/** A text that opens a paragraph or an item: no heading, list, rule or code of its own. */
const opening = (text: string) =>
  safe(text)
    .replace(/^(?=[#+=-])/, "\\")
    .replace(/^(\d+)(?=[.)])/, "$1\\");
