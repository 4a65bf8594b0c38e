/** What a person reads of a gate at a terminal: the verdict first, then what it rests on. */
import type { Evidence, GateFinding, GateVerdict, LimitFinding } from "../../gate/verdict.ts";
import type { TableColumn } from "../columns.ts";
import { formatShare } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { renderParagraph } from "../paragraph.ts";
import { painter, type Style } from "../style.ts";
import { renderTable } from "../table.ts";
import { cleanLine, withoutCommands } from "../text.ts";
import {
  describeMethod,
  formatAdjustedP,
  formatPointChange,
  formatShares,
  headline,
  statusGroups,
  summarizeVerdict,
} from "./words.ts";

interface StatusMark {
  readonly symbol: string;
  readonly style: Style;
}

const bad: StatusMark = { symbol: "✗ ", style: "bad" };
const good: StatusMark = { symbol: "✓ ", style: "good" };
const unclear: StatusMark = { symbol: "? ", style: "strong" };
const aside: StatusMark = { symbol: "", style: "muted" };
const marks: Readonly<Record<string, StatusMark>> = {
  failed: bad,
  warned: { symbol: "! ", style: "strong" },
  passed: good,
  unknown: unclear,
  inconclusive: unclear,
  noise: unclear,
  unsure: unclear,
};

/** Only counted, unless everything is asked for. */
const COLLAPSED_STATUSES = ["small", "off"];

/** The whole view, ending in a line feed. */
export function gateView(verdict: GateVerdict, options: RenderOptions): string {
  const parts = [
    renderHead(verdict, options),
    ...statusGroups.flatMap(({ status, title }) => renderGroup(verdict, status, title, options)),
    renderLimits(verdict.limits, options),
    renderList("Notes", verdict.notes, options),
    renderSuggestions(verdict, options),
  ];
  return withoutCommands(parts.filter((part) => part !== "").join("\n"));
}

function renderHead(verdict: GateVerdict, options: RenderOptions): string {
  const paint = painter(options);
  const word = markedTitle(verdict.verdict, verdict.verdict.toUpperCase(), options);
  const inconclusive = verdict.verdict === "inconclusive";
  const lines = [
    ...paragraph(headline(verdict), "", options).map((line) => paint(line, "strong")),
    ...paragraph(describeMethod(verdict), "", options).map((line) => paint(line, "muted")),
    "",
    `${word}: ${summarizeVerdict(verdict)}`,
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

function renderGroup(verdict: GateVerdict, status: string, title: string, options: RenderOptions): string[] {
  const findings = verdict.findings.filter((one) => one.status === status);
  if (findings.length === 0) return [];
  const heading = markedTitle(status, `${title} (${findings.length})`, options);
  if (COLLAPSED_STATUSES.includes(status) && !options.wide) return [`${heading}\n`];
  const table = renderTable(findings, buildColumns(verdict, status, options), options);
  const evidence = findings.flatMap((one) => evidenceLines(one, options));
  return [`${heading}\n${table}${evidence.map((line) => `${line}\n`).join("")}`];
}

function buildColumns(
  verdict: GateVerdict,
  status: string,
  options: RenderOptions,
): TableColumn<GateFinding>[] {
  const style = (marks[status] ?? aside).style;
  const columns: TableColumn<GateFinding>[] = [
    { key: "tag", header: "TAG", value: ({ tag }) => tag, shrink: 2, style },
    { key: "kind", header: "CHANGE", value: ({ kind }) => kind },
    {
      key: "testers",
      header: "TESTERS",
      value: (one) => formatShares(one, verdict, options.plain ? "to" : "→"),
    },
    { key: "deltaPct", header: "POINTS", align: "right", value: formatPointChange },
    {
      key: "expected",
      header: "AT MOST",
      align: "right",
      value: ({ expected }) => `+${expected.maxIncreasePoints}`,
    },
    { key: "adjustedP", header: "CHANCE", align: "right", value: formatAdjustedP },
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

function renderLimits(limits: readonly LimitFinding[], options: RenderOptions): string {
  if (limits.length === 0) return "";
  const columns: TableColumn<LimitFinding>[] = [
    { key: "name", header: "LIMIT", value: ({ name }) => name },
    {
      key: "status",
      header: "RESULT",
      value: ({ status }) => status,
      style: ({ status }) => getStatusStyle(status),
    },
    { key: "found", header: "FOUND", value: ({ found }) => found },
    { key: "expected", header: "EXPECTED", value: ({ expected }) => expected },
  ];
  return `${painter(options)("Limits", "strong")}\n${renderTable(limits, columns, options)}`;
}

const getStatusStyle = (status: string) => (marks[status] ?? aside).style;

function renderList(title: string, texts: readonly string[], options: RenderOptions): string {
  if (texts.length === 0) return "";
  const lines = texts.flatMap((text) => paragraph(text, "  ", options));
  return `${painter(options)(title, "strong")}\n${lines.join("\n")}\n`;
}

function renderSuggestions({ suggestions }: GateVerdict, options: RenderOptions): string {
  const texts = suggestions.map(
    ({ title, rationale, confidence }) => `${title} (${formatShare(confidence)} sure): ${rationale}`,
  );
  return renderList("Suggestions: shown, never judged", texts, options);
}
