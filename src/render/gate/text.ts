/** The report of the gate for a terminal: the verdict first, then the findings behind it. */
import type { OnInconclusive } from "../../gate/config.ts";
import type { Evidence, GateFinding, GateVerdict, LimitFinding } from "../../gate/verdict.ts";
import { formatTitleAndTag } from "../../shared/tags.ts";
import type { TableColumn } from "../columns.ts";
import type { RenderOptions } from "../options.ts";
import { renderParagraph } from "../paragraph.ts";
import { painter, type Style } from "../style.ts";
import { measureTable, renderTable } from "../table.ts";
import { cleanLine, withoutCommands } from "../text.ts";
import { answerGate } from "./answer.ts";
import {
  describeMethod,
  explainResults,
  type FindingGroup,
  findingGroups,
  formatAdjustedP,
  formatPointChange,
  formatTesters,
  getChangeTitle,
  getFindingGroup,
  getLimitResult,
  headline,
  selectGroup,
  summarizeVerdict,
} from "./words.ts";

interface StatusMark {
  readonly symbol: string;
  readonly style: Style;
}

const bad: StatusMark = { symbol: "✗ ", style: "bad" };
const good: StatusMark = { symbol: "✓ ", style: "good" };
const unclear: StatusMark = { symbol: "? ", style: "strong" };
const other: StatusMark = { symbol: "", style: "muted" };
const marks: Readonly<Record<string, StatusMark>> = {
  failed: bad,
  warned: { symbol: "! ", style: "strong" },
  passed: good,
  unknown: unclear,
  inconclusive: unclear,
  noise: unclear,
  unsure: unclear,
  unjudged: unclear,
};

/** Only the number of these findings is shown without `--wide`. */
const COLLAPSED_GROUPS: readonly FindingGroup[] = ["small", "same", "disabled"];

/** Shorter titles would lose the location of the friction. */
const MIN_TITLE_WIDTH = 20;

/** The whole report, ending in a line feed. `onInconclusive` is the effect of an inconclusive verdict. */
export function gateView(
  verdict: GateVerdict,
  options: RenderOptions,
  onInconclusive: OnInconclusive = "fail",
): string {
  const columns = chooseOptionalColumns(verdict, options);
  const parts = [
    renderHead(verdict, onInconclusive, options),
    ...findingGroups.flatMap(({ group, title }) => renderGroup(verdict, group, title, columns, options)),
    renderLimits(verdict.limits, options),
    renderList("Notes", verdict.notes, options),
    renderSuggestions(verdict, options),
    renderMethod(verdict, columns.includes("kind") ? selectListed(verdict, options) : [], options),
  ];
  return withoutCommands(parts.filter((part) => part !== "").join("\n"));
}

function renderHead(verdict: GateVerdict, onInconclusive: OnInconclusive, options: RenderOptions): string {
  const paint = painter(options);
  const inconclusive = verdict.verdict === "inconclusive";
  const effect = inconclusive ? effects[onInconclusive] : "";
  const result = markedTitle(verdict.verdict, `${verdict.verdict.toUpperCase()}${effect}`, options);
  const lines = [
    ...paragraph(headline(verdict), "", options).map((line) => paint(line, "strong")),
    "",
    `${result}: ${summarizeVerdict(verdict)}`,
    ...paragraph(answerGate(verdict).join(" "), "", options),
    ...(inconclusive ? verdict.reasons.flatMap((reason) => paragraph(reason, "  ", options)) : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** The effect of an inconclusive verdict, unless it fails the gate. */
const effects: Readonly<Record<OnInconclusive, string>> = {
  fail: "",
  warn: ", treated as a warning (onInconclusive: warn)",
  pass: ", treated as passed (onInconclusive: pass)",
};

/** The text as one paragraph, wrapped to fit. */
const paragraph = (text: string, indent: string, options: RenderOptions) =>
  renderParagraph(cleanLine(text), indent, options);

function markedTitle(status: string, title: string, options: RenderOptions): string {
  const { symbol, style } = marks[status] ?? other;
  return painter(options)(`${options.plain ? "" : symbol}${title}`, style);
}

type OptionalColumn = "kind" | "tag";
const ALL_COLUMNS: readonly OptionalColumn[] = ["kind", "tag"];

/** The optional columns that fit into all tables, so that all tables have the same columns. */
function chooseOptionalColumns(verdict: GateVerdict, options: RenderOptions): readonly OptionalColumn[] {
  if (!options.tty || options.wide) return ALL_COLUMNS;
  const groups = findingGroups
    .filter(({ group }) => !COLLAPSED_GROUPS.includes(group))
    .map(({ group }) => ({ group, findings: selectGroup(verdict, group) }));
  const fits = (optional: readonly OptionalColumn[]) =>
    groups.every(({ group, findings }) => {
      // Reasons may be truncated.
      const columns = buildColumns(verdict, group, optional, options).filter(({ key }) => key !== "reason");
      return findings.length === 0 || measureTable(findings, columns, options) <= options.width;
    });
  const choices: ReadonlyArray<readonly OptionalColumn[]> = [ALL_COLUMNS, ["tag"]];
  return choices.find(fits) ?? [];
}

function renderGroup(
  verdict: GateVerdict,
  group: FindingGroup,
  title: string,
  optional: readonly OptionalColumn[],
  options: RenderOptions,
): string[] {
  const findings = selectGroup(verdict, group);
  if (findings.length === 0) return [];
  const heading = `${title} (${findings.length})`;
  if (COLLAPSED_GROUPS.includes(group) && !options.wide) {
    return [`${markedTitle(group, `${heading}: use --wide to list them`, options)}\n`];
  }
  const table = renderTable(findings, buildColumns(verdict, group, optional, options), options);
  const evidence = findings.flatMap((finding) => evidenceLines(finding, options));
  return [`${markedTitle(group, heading, options)}\n${table}${evidence.map((line) => `${line}\n`).join("")}`];
}

function buildColumns(
  verdict: GateVerdict,
  group: FindingGroup,
  optional: readonly OptionalColumn[],
  options: RenderOptions,
): TableColumn<GateFinding>[] {
  const style = getMark(group).style;
  const columns: TableColumn<GateFinding>[] = [
    {
      key: "title",
      header: "FRICTION",
      value: ({ title }) => title,
      shrink: 2,
      wrap: true,
      minWidth: MIN_TITLE_WIDTH,
      style,
    },
    {
      key: "testers",
      header: "TESTERS",
      value: (finding) => formatTesterCounts(finding, verdict, options),
    },
    { key: "deltaPct", header: "DIFF (PP)", align: "right", value: formatPointChange },
    {
      key: "expected",
      header: "LIMIT (PP)",
      align: "right",
      value: ({ expected }) => `+${expected.maxIncreasePoints}`,
    },
    { key: "adjustedP", header: "P-VALUE", align: "right", value: formatAdjustedP },
  ];
  if (group === "unsure")
    columns.push({
      key: "minTesters",
      header: "TESTERS NEEDED",
      value: ({ expected }) => expected.minTesters,
    });
  if (group === "allowed")
    columns.push({ key: "reason", header: "REASON", value: ({ reason }) => reason, shrink: 1, wrap: true });
  if (optional.includes("kind"))
    columns.splice(1, 0, { key: "kind", header: "CHANGE", value: getChangeTitle });
  if (optional.includes("tag")) columns.push({ key: "tag", header: "TAG", value: ({ tag }) => tag });
  return columns;
}

/** `1/20 → 11/22`, and in words for a screen reader; null if the numbers are unknown. */
function formatTesterCounts(
  finding: GateFinding,
  verdict: GateVerdict,
  { plain }: RenderOptions,
): string | null {
  if (plain) return formatTesters(finding, verdict, "to");
  return formatTesters(finding, verdict)?.replaceAll(" of ", "/") ?? null;
}

function evidenceLines({ tag, title, evidence }: GateFinding, options: RenderOptions): string[] {
  if (evidence.length === 0) return [];
  const line = ({ insightId, title }: Evidence) =>
    paragraph(title === null ? insightId : `${insightId}  ${title}`, "    ", options);
  return [
    ...paragraph(`Evidence for ${formatTitleAndTag({ tag, title })}:`, "  ", options),
    ...evidence.flatMap(line),
  ];
}

function renderLimits(limits: readonly LimitFinding[], options: RenderOptions): string {
  if (limits.length === 0) return "";
  const columns: TableColumn<LimitFinding>[] = [
    { key: "name", header: "METRIC", value: ({ name }) => name },
    {
      key: "status",
      header: "RESULT",
      value: getLimitResult,
      style: ({ status }) => getMark(status).style,
    },
    { key: "found", header: "VALUE", value: ({ found }) => found },
    { key: "expected", header: "LIMIT", value: ({ expected }) => expected },
  ];
  return `${painter(options)("Limits", "strong")}\n${renderTable(limits, columns, options)}`;
}

const getMark = (status: string) => marks[status] ?? other;

function renderList(title: string, texts: readonly string[], options: RenderOptions): string {
  if (texts.length === 0) return "";
  const lines = texts.flatMap((text) => paragraph(text, "  ", options));
  return `${painter(options)(title, "strong")}\n${lines.join("\n")}\n`;
}

/** The findings that are shown in a table. */
function selectListed(verdict: GateVerdict, { wide }: RenderOptions): GateFinding[] {
  return verdict.findings.filter(
    (finding) => wide || !COLLAPSED_GROUPS.includes(getFindingGroup(finding, verdict)),
  );
}

function renderMethod(verdict: GateVerdict, listed: readonly GateFinding[], options: RenderOptions): string {
  const paint = painter(options);
  const lines = [...explainResults(verdict, listed), describeMethod(verdict).join(" ")]
    .flatMap((text) => paragraph(text, "", options))
    .map((line) => paint(line, "muted"));
  return `${lines.join("\n")}\n`;
}

function renderSuggestions({ suggestions }: GateVerdict, options: RenderOptions): string {
  const texts = suggestions.map(({ title, rationale }) => `${title}. ${rationale}`);
  return renderList("Suggestions (not part of the verdict)", texts, options);
}
