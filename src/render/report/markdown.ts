/** Writes a report as Markdown for a wiki or a pull request. It has the same sections, with heatmaps described in words. */
import { escapeMarkdown, escapeMarkdownBlock } from "../markdown.ts";
import { truncateText, withoutCommands } from "../text.ts";
import type { ReportBlock, ReportCell, ReportDocument, TableBlock } from "./blocks.ts";

/** Maximum length of a text before escaping, in UTF-16 units, so that one long text cannot push out the others. */
const MAX_TEXT = 600;

const marks = { passed: "✅", failed: "❌", inconclusive: "❔" } as const;

/** The whole document, ending in a line feed. */
export function reportMarkdown(report: ReportDocument): string {
  const { verdict } = report;
  const parts = [
    `# ${heading(report.title)}`,
    `## ${marks[verdict.state]} ${heading(verdict.answer)}`,
    opening(verdict.gate),
    opening(verdict.scope),
    ...(verdict.reasons.length > 0
      ? [verdict.reasons.map((reason) => `- ${opening(reason)}`).join("\n")]
      : []),
    ...[...report.cards, ...report.sections].flatMap((section) => [
      `## ${heading(section.title)}`,
      ...section.blocks.map(block),
    ]),
    "---",
    opening(report.footer),
  ];
  return withoutCommands(`${parts.join("\n\n")}\n`);
}

function block(content: ReportBlock): string {
  switch (content.kind) {
    case "text":
      return opening(content.text);
    case "note":
      return `_${safe(content.text)}_`;
    case "missing":
      return `> ${opening(content.text)}`;
    case "heading":
      return `### ${heading(content.text)}`;
    case "list":
      return content.items
        .map(
          (cells) =>
            `- ${cells.map(({ text }, index) => (index === 0 ? opening(text) : safe(text))).join(" · ")}`,
        )
        .join("\n");
    case "quotes":
      return content.quotes
        .map(({ text, source }) => `> ${opening(text)}\n>\n> ${opening(source)}`)
        .join("\n\n");
    case "facts":
      return content.facts.map(({ label, value }) => `**${safe(value)}** ${safe(label)}`).join(" · ");
    case "rooms":
      return [
        ...(content.note === "" ? [] : [`_${safe(content.note)}_\n`]),
        ...content.rooms.map(({ room, description }) => `- **${safe(room.room)}**: ${safe(description)}`),
      ].join("\n");
    case "table":
      return table(content);
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
/** Escapes a text as one line. Never empty, because Markdown ignores empty emphasis. */
const safe = (text: string) => escapeMarkdown(truncateText(text, MAX_TEXT)) || "–";
/** Escapes a text at the start of a paragraph or list item. */
const opening = (text: string) => escapeMarkdownBlock(truncateText(text, MAX_TEXT)) || "–";
/** Escapes the text of a heading, whose last number signs would be omitted. */
const heading = (text: string) => safe(text).replace(/(?<![^\s>])#+$/, "\\$&");
