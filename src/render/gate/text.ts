/** What a person reads of a gate at a terminal: the verdict first, then what it rests on. */
import type { Evidence, GateFinding, GateVerdict, LimitFinding } from "../../gate/verdict.ts";
import type { Column } from "../columns.ts";
import { formatShare } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { renderParagraph } from "../paragraph.ts";
import { painter, type Style } from "../style.ts";
import { renderTable } from "../table.ts";
import { cleanLine, withoutCommands } from "../text.ts";
import { chanceOf, groups, headline, methodOf, pointsOf, sentenceOf, sharesOf } from "./words.ts";

interface Mark {
  readonly symbol: string;
  readonly style: Style;
}

const bad: Mark = { symbol: "✗ ", style: "bad" };
const good: Mark = { symbol: "✓ ", style: "good" };
const unclear: Mark = { symbol: "? ", style: "strong" };
const aside: Mark = { symbol: "", style: "muted" };
const marks: Readonly<Record<string, Mark>> = {
  failed: bad,
  warned: { symbol: "! ", style: "strong" },
  passed: good,
  unknown: unclear,
  inconclusive: unclear,
  noise: unclear,
  unsure: unclear,
};

/** Only counted, unless everything is asked for. */
const COUNTED = ["small", "off"];

/** The whole view, ending in a line feed. */
export function gateView(verdict: GateVerdict, options: RenderOptions): string {
  const parts = [
    headOf(verdict, options),
    ...groups.flatMap(({ status, title }) => groupOf(verdict, status, title, options)),
    limitsOf(verdict.limits, options),
    listOf("Notes", verdict.notes, options),
    suggestionsOf(verdict, options),
  ];
  return withoutCommands(parts.filter((part) => part !== "").join("\n"));
}

function headOf(verdict: GateVerdict, options: RenderOptions): string {
  const paint = painter(options);
  const word = markedTitle(verdict.verdict, verdict.verdict.toUpperCase(), options);
  const inconclusive = verdict.verdict === "inconclusive";
  const lines = [
    ...paragraph(headline(verdict), "", options).map((line) => paint(line, "strong")),
    ...paragraph(methodOf(verdict), "", options).map((line) => paint(line, "muted")),
    "",
    `${word}: ${sentenceOf(verdict)}`,
    ...(inconclusive ? verdict.reasons.flatMap((reason) => paragraph(reason, "  ", options)) : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** A text of one line, however it came, broken to fit. */
const paragraph = (text: string, indent: string, options: RenderOptions) =>
  renderParagraph(cleanLine(text), indent, options);

function markedTitle(status: string, title: string, options: RenderOptions): string {
  const { symbol, style } = marks[status] ?? aside;
  return painter(options)(`${options.plain ? "" : symbol}${title}`, style);
}

function groupOf(verdict: GateVerdict, status: string, title: string, options: RenderOptions): string[] {
  const findings = verdict.findings.filter((one) => one.status === status);
  if (findings.length === 0) return [];
  const heading = markedTitle(status, `${title} (${findings.length})`, options);
  if (COUNTED.includes(status) && !options.wide) return [`${heading}\n`];
  const table = renderTable(findings, columnsOf(verdict, status, options), options);
  const evidence = findings.flatMap((one) => evidenceLines(one, options));
  return [`${heading}\n${table}${evidence.map((line) => `${line}\n`).join("")}`];
}

function columnsOf(verdict: GateVerdict, status: string, options: RenderOptions): Column<GateFinding>[] {
  const style = (marks[status] ?? aside).style;
  const columns: Column<GateFinding>[] = [
    { key: "tag", header: "TAG", value: ({ tag }) => tag, shrink: 2, style },
    { key: "kind", header: "CHANGE", value: ({ kind }) => kind },
    {
      key: "testers",
      header: "TESTERS",
      value: (one) => sharesOf(one, verdict, options.plain ? "to" : "→"),
    },
    { key: "deltaPct", header: "POINTS", align: "right", value: pointsOf },
    {
      key: "expected",
      header: "AT MOST",
      align: "right",
      value: ({ expected }) => `+${expected.maxIncreasePoints}`,
    },
    { key: "adjustedP", header: "CHANCE", align: "right", value: chanceOf },
  ];
  if (status === "unsure")
    columns.push({ key: "minTesters", header: "TAKES", value: ({ expected }) => expected.minTesters });
  if (status === "allowed")
    columns.push({ key: "reason", header: "REASON", value: ({ reason }) => reason, shrink: 1 });
  return columns;
}

function evidenceLines({ tag, evidence }: GateFinding, options: RenderOptions): string[] {
  if (evidence.length === 0) return [];
  const line = ({ insightId, title }: Evidence) =>
    paragraph(title === null ? insightId : `${insightId}  ${title}`, "    ", options);
  return [...paragraph(`Found for ${tag}:`, "  ", options), ...evidence.flatMap(line)];
}

function limitsOf(limits: readonly LimitFinding[], options: RenderOptions): string {
  if (limits.length === 0) return "";
  const columns: Column<LimitFinding>[] = [
    { key: "name", header: "LIMIT", value: ({ name }) => name },
    {
      key: "status",
      header: "RESULT",
      value: ({ status }) => status,
      style: ({ status }) => styleOf(status),
    },
    { key: "found", header: "FOUND", value: ({ found }) => found },
    { key: "expected", header: "EXPECTED", value: ({ expected }) => expected },
  ];
  return `${painter(options)("Limits", "strong")}\n${renderTable(limits, columns, options)}`;
}

const styleOf = (status: string) => (marks[status] ?? aside).style;

function listOf(title: string, texts: readonly string[], options: RenderOptions): string {
  if (texts.length === 0) return "";
  const lines = texts.flatMap((text) => paragraph(text, "  ", options));
  return `${painter(options)(title, "strong")}\n${lines.join("\n")}\n`;
}

function suggestionsOf({ suggestions }: GateVerdict, options: RenderOptions): string {
  const texts = suggestions.map(
    ({ title, rationale, confidence }) => `${title} (${formatShare(confidence)} sure): ${rationale}`,
  );
  return listOf("Suggestions: shown, never judged", texts, options);
}
