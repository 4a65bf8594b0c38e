/** The verdict of a gate as GitHub-flavoured Markdown: the comment of a pull request, and the summary of a step. */
import type { GateFinding, GateVerdict } from "../../gate/verdict.ts";
import { escapeMarkdown } from "../markdown.ts";
import {
  describeEvidence,
  describeMethod,
  formatAdjustedP,
  formatCount,
  formatPointChange,
  formatShares,
  getStatusTitle,
  groupFindings,
  headline,
  summarizeVerdict,
  truncateText,
} from "./words.ts";

/** GitHub takes comments of so many characters; bytes are never fewer. */
const MAX_COMMENT = 65_536;
/** A text from outside takes at most so many units before it is escaped, so that one cannot push out the others. */
const MAX_TEXT = 300;
const MAX_EVIDENCE = 5;
/** A name is marked by so many of its first units. */
const MAX_NAME = 200;
/** Kept for what says that something was cut. */
const TRUNCATION_NOTE_BYTES = 200;

const words = { passed: "✅ passed", failed: "❌ failed", inconclusive: "❔ inconclusive" } as const;

/** Lines that stand together; those of `items` may be left out, from the end, where there is no room. */
interface MarkdownSection {
  readonly open: readonly string[];
  readonly items: readonly string[];
  readonly close: readonly string[];
}

/** The body of a sticky comment: its first line finds it again, and differs by game and environment. */
export function gateComment(verdict: GateVerdict): string {
  return gateMarkdown(verdict, { most: MAX_COMMENT, first: `${gateMarker(verdict)}\n` });
}

/** The hidden line that marks the comment of a game and environment; whatever they are called, it stays one comment. */
export function gateMarker({ game, environment }: Pick<GateVerdict, "game" | "environment">): string {
  return `<!-- playtest-gate:${encodeMarkerName(game)}:${encodeMarkerName(environment)} -->`;
}

// A comment ends at `--`, in XML's rules, or `-->`; `%` stands for itself as %25, so that two names never meet.
const encodeMarkerName = (name: string) =>
  encodeURIComponent(truncateText(name, MAX_NAME).toWellFormed()).replaceAll("--", "%2D%2D");

/** The report in at most `most` bytes, after `first`; what is left out is counted. */
export function gateMarkdown(
  verdict: GateVerdict,
  { most, first = "" }: { readonly most: number; readonly first?: string },
): string {
  const head = `${first}${formatHead(verdict)}`;
  let left = most - bytes(head) - TRUNCATION_NOTE_BYTES;
  let dropped = 0;
  let text = head;
  for (const { open, items, close } of buildSections(verdict)) {
    const kept: string[] = [];
    let room = left - bytes(joinLines([...open, ...close]));
    for (const item of items) {
      const size = bytes(joinLines([item]));
      // The first that does not fit ends the section: what comes first matters most.
      if (size > room) break;
      kept.push(item);
      room -= size;
    }
    dropped += items.length - kept.length;
    if (kept.length === 0) continue;
    text += joinLines([...open, ...kept, ...close]);
    left = room;
  }
  if (dropped === 0) return text;
  return `${text}\nCut to the size that GitHub takes: ${formatCount(dropped, "line")} left out.\n`;
}

const bytes = (text: string) => Buffer.byteLength(text);
const joinLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
const safe = (text: string) => escapeMarkdown(truncateText(text, MAX_TEXT));

function formatHead(verdict: GateVerdict): string {
  const lines = [
    `### Playtest gate ${words[verdict.verdict]}`,
    "",
    `${safe(summarizeVerdict(verdict))} Compared ${safe(headline(verdict))}.`,
  ];
  return joinLines(lines);
}

function buildSections(verdict: GateVerdict): MarkdownSection[] {
  const { counted, others } = groupFindings(verdict);
  const rest = others.map((one) =>
    row([getStatusTitle(one.status), ...formatCells(one, verdict), safe(one.reason ?? "")]),
  );
  const limits = verdict.limits.map(({ name, status, expected, found }) =>
    row([status, name, expected, found].map(safe)),
  );
  return [
    list(verdict.verdict === "inconclusive" ? verdict.reasons : []),
    table(
      ["Result", ...COLUMNS, "Evidence"],
      counted.map((one) => countedRow(one, verdict)),
    ),
    table(["Result", "Limit", "Expected", "Found"], limits),
    collapseSection(formatCount(rest.length, "other tag"), table(["Result", ...COLUMNS, "Reason"], rest)),
    collapseSection("Suggestions: shown, never judged", list(formatSuggestions(verdict))),
    list([describeMethod(verdict), ...verdict.notes]),
  ];
}

const COLUMNS = ["Tag", "Change", "Testers", "Points", "Expected", "Chance"];

function formatCells(finding: GateFinding, verdict: GateVerdict): string[] {
  const { tag, kind, expected } = finding;
  const sure = Number((expected.confidence * 100).toPrecision(6));
  return [
    tag,
    kind,
    formatShares(finding, verdict) ?? "",
    formatPointChange(finding),
    `at most +${expected.maxIncreasePoints} (${formatCount(expected.minTesters, "tester")}, ${sure} % sure)`,
    formatAdjustedP(finding) ?? "",
  ].map(safe);
}

function countedRow(finding: GateFinding, verdict: GateVerdict): string {
  const word = finding.status === "failed" ? "❌ failed" : "⚠️ warned";
  const evidence = finding.evidence
    .slice(0, MAX_EVIDENCE)
    .map((one) => safe(describeEvidence(one)))
    .join("<br>");
  return row([word, ...formatCells(finding, verdict), evidence]);
}

const formatSuggestions = ({ suggestions }: GateVerdict) =>
  suggestions.map(({ title, rationale }) => `${title}: ${rationale}`);

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

function table(headers: readonly string[], items: readonly string[]): MarkdownSection {
  return { open: ["", row(headers), row(headers.map(() => "---"))], items, close: [] };
}

function list(texts: readonly string[]): MarkdownSection {
  return { open: [""], items: texts.map((text) => `- ${safe(text)}`), close: [] };
}

function collapseSection(title: string, { open, items, close }: MarkdownSection): MarkdownSection {
  return {
    open: ["", `<details><summary>${title}</summary>`, ...open],
    items,
    close: [...close, "", "</details>"],
  };
}
