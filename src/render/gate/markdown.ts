/** The verdict as GitHub-flavored Markdown, for a pull request comment or a step summary. */
import { describeScope } from "../../charts/scorecard.ts";
import type { GateCheck, GateVerdict } from "../../gate/verdict.ts";
import { escapeMarkdown, escapeMarkdownBlock } from "../markdown.ts";
import { formatCount } from "../numbers.ts";
import { truncateText, withoutCommands } from "../text.ts";
import { selectCounted, summarizeGate } from "./summary.ts";
import {
  describeEvidence,
  describeFound,
  describeMethod,
  describeWatched,
  getLimitResult,
  rulingTitles,
} from "./words.ts";

/** GitHub's limit for a comment in characters, used as a limit in bytes because there are never fewer bytes. */
const MAX_COMMENT = 65_536;
/** Maximum length of a text before escaping, in UTF-16 units, so that one long text cannot push out the others. */
const MAX_TEXT = 300;
const MAX_EVIDENCE = 5;
/** Maximum length of a name in the marker, in UTF-16 units. */
const MAX_NAME = 200;
/** Reserved for the line that says how much was left out. */
const TRUNCATION_NOTE_BYTES = 200;

/** A block of lines. If it does not fit, the last `items` are left out. */
interface MarkdownSection {
  readonly open: readonly string[];
  readonly items: readonly string[];
  readonly close: readonly string[];
}

/** The body of a comment that is updated by each run. A script finds it again by the marker in its last line. */
export function gateComment(verdict: GateVerdict): string {
  const last = `\n${gateMarker(verdict)}\n`;
  return `${gateMarkdown(verdict, { maxBytes: MAX_COMMENT - bytes(last) })}${last}`;
}

/** The hidden line that identifies the comment of a game and environment. It is one HTML comment for any names. */
export function gateMarker({ game, environment }: Pick<GateVerdict, "game" | "environment">): string {
  return `<!-- playtest-gate:${encodeMarkerName(game)}:${encodeMarkerName(environment)} -->`;
}

// `--` may end a comment, so it is escaped. `%` is escaped as %25, so different names have different markers.
const encodeMarkerName = (name: string) =>
  encodeURIComponent(truncateText(name, MAX_NAME).toWellFormed()).replaceAll("--", "%2D%2D");

/** The report in at most `maxBytes` bytes. Its first line is the verdict; its last line says how many lines were left out. */
export function gateMarkdown(verdict: GateVerdict, { maxBytes }: { readonly maxBytes: number }): string {
  const head = formatHead(verdict);
  let remaining = maxBytes - bytes(head) - TRUNCATION_NOTE_BYTES;
  let dropped = 0;
  let text = head;
  for (const { open, items, close } of buildSections(verdict)) {
    const included: string[] = [];
    let capacity = remaining - bytes(joinLines([...open, ...close]));
    for (const item of items) {
      const size = bytes(joinLines([item]));
      // The most important items come first, so the rest of the section is left out.
      if (size > capacity) break;
      included.push(item);
      capacity -= size;
    }
    dropped += items.length - included.length;
    if (included.length === 0) continue;
    text += joinLines([...open, ...included, ...close]);
    remaining = capacity;
  }
  if (dropped === 0) return text;
  return `${text}\n${formatCount(dropped, "line")} left out to stay within GitHub's size limit.\n`;
}

const bytes = (text: string) => Buffer.byteLength(text);
const joinLines = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
/** Escapes a text for one line, and truncates it. */
export const safe = (text: string) => escapeMarkdown(truncateText(text, MAX_TEXT));

function formatHead(verdict: GateVerdict): string {
  const summary = summarizeGate(verdict);
  const watched = describeWatched(verdict);
  const lines = [
    `### ${safe(summary.answer)}`,
    "",
    // A paragraph that starts with the name of a game.
    withoutCommands(escapeMarkdownBlock(truncateText(describeScope(summary), MAX_TEXT))),
    ...(watched === null ? [] : ["", safe(watched)]),
  ];
  return joinLines(lines);
}

function buildSections(verdict: GateVerdict): MarkdownSection[] {
  const counted = selectCounted(verdict);
  const others = verdict.checks.filter((check) => !counted.includes(check));
  const rest = others.map((check) =>
    row([safe(rulingTitles[check.ruling]), ...formatCells(check), safe(check.reason ?? "")]),
  );
  const limits = verdict.limits.map((limit) =>
    row([getLimitResult(limit), limit.name, limit.expected, limit.found].map(safe)),
  );
  return [
    list(verdict.verdict === "inconclusive" ? verdict.reasons : []),
    table(["Result", ...COLUMNS, "Evidence"], counted.map(countedRow)),
    table(["Result", "Metric", "Limit", "Value"], limits),
    collapseSection(
      formatCount(rest.length, counted.length === 0 ? "row" : "other row"),
      table(["Result", ...COLUMNS, "Reason"], rest),
    ),
    collapseSection("Suggestions (not part of the verdict)", list(formatSuggestions(verdict))),
    list([describeMethod(verdict), ...verdict.notes]),
  ];
}

const COLUMNS = ["What testers did", "Tag or metric", "Found"];

const formatCells = (check: GateCheck): string[] => [check.title, check.id, describeFound(check)].map(safe);

function countedRow(check: GateCheck): string {
  const result = check.ruling === "failed" ? "❌ failed" : "⚠️ warning";
  const evidence = check.evidence
    .slice(0, MAX_EVIDENCE)
    .map((insight) => safe(describeEvidence(insight)))
    .join("<br>");
  return row([result, ...formatCells(check), evidence]);
}

const formatSuggestions = ({ suggestions }: GateVerdict) =>
  suggestions.map(({ title, rationale }) => `${title}: ${rationale}`);

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

function table(headers: readonly string[], items: readonly string[]): MarkdownSection {
  return { open: ["", row(headers), row(headers.map(() => "---"))], items, close: [] };
}

function list(texts: readonly string[]): MarkdownSection {
  return {
    open: [""],
    items: texts.map((text) => `- ${escapeMarkdownBlock(truncateText(text, MAX_TEXT))}`),
    close: [],
  };
}

function collapseSection(title: string, { open, items, close }: MarkdownSection): MarkdownSection {
  return {
    open: ["", `<details><summary>${title}</summary>`, ...open],
    items,
    close: [...close, "", "</details>"],
  };
}
