/** The report of the gate for a terminal: the verdict first, then what failed with its evidence. */
import { describeScope } from "../../charts/scorecard.ts";
import type { Verdict } from "../../contract/verdict.ts";
import type { OnInconclusive } from "../../gate/config.ts";
import { describeLimit } from "../../gate/judge.ts";
import type { GateCheck, GateVerdict, LimitFinding } from "../../gate/verdict.ts";
import { type AlignedCell, alignCells } from "../aligned.ts";
import type { RenderOptions } from "../options.ts";
import { paintParagraph, renderParagraph } from "../paragraph.ts";
import { cleanLine, withoutCommands } from "../text.ts";
import { getMark } from "../verdict-marks.ts";
import { selectCounted, summarizeGate } from "./summary.ts";
import {
  describeFound,
  describeMethod,
  describeWatched,
  getLimitResult,
  isCrossed,
  rulingTitles,
} from "./words.ts";

const MAX_ROWS = 5;

/** The effect of an inconclusive verdict, unless it fails the gate. */
const effects: Readonly<Record<OnInconclusive, string>> = {
  fail: "",
  warn: ", treated as a warning",
  pass: ", treated as passed",
};

/** The whole report, ending in a line feed. `onInconclusive` is the effect of an inconclusive verdict. */
export function gateView(
  verdict: GateVerdict,
  options: RenderOptions,
  onInconclusive: OnInconclusive = "fail",
): string {
  const paragraph = (text: string) => renderParagraph(cleanLine(text), "  ", options);
  const summary = summarizeGate(verdict);
  const watched = describeWatched(verdict);
  const blocks = [
    renderHead(summary, onInconclusive, options),
    verdict.verdict === "inconclusive" ? verdict.reasons.flatMap(paragraph) : [],
    renderCounted(verdict, options),
    [
      ...(watched === null ? [] : paragraph(watched)),
      ...verdict.allow
        // A note names those that expire soon.
        .filter(({ used, state }) => used && state === "active")
        .flatMap(({ tag, expires }) => paragraph(`Allowed until ${expires}: ${tag}`)),
      ...describeSensitivity(verdict).flatMap(paragraph),
      ...verdict.notes.flatMap(paragraph),
    ],
    options.wide ? [...renderAll(verdict, options), ...paragraph(describeMethod(verdict))] : [],
    renderSuggestions(verdict, options),
  ];
  const shown = blocks.filter((lines) => lines.length > 0);
  // A log is read from its end. What failed or is not known, is repeated on stderr.
  if (verdict.verdict === "passed" && shown.length > 1)
    shown.push(renderParagraph(cleanLine(summary.answer), "", options));
  const text = shown.map((lines) => lines.join("\n")).join("\n\n");
  // A screen reader does not read arrows.
  return withoutCommands(`${options.plain ? text.replaceAll("→", "to") : text}\n`);
}

function renderHead(summary: Verdict, onInconclusive: OnInconclusive, options: RenderOptions): string[] {
  const { mark, style } = getMark(summary.status);
  const effect = summary.status === "inconclusive" ? effects[onInconclusive] : "";
  const answer = `${options.plain ? "" : `${mark} `}${summary.answer}${effect}`;
  return [
    ...paintParagraph(answer, style, options),
    ...renderParagraph(cleanLine(describeScope(summary)), "  ", options),
  ];
}

/** What failed or warned, each with its first evidence and the session to look at, which no row before it names. */
function renderCounted(verdict: GateVerdict, options: RenderOptions): string[] {
  const counted = selectCounted(verdict);
  const shown = counted.slice(0, MAX_ROWS);
  const rows = alignCells(shown.map(toCells), "  ", options);
  const named = new Set<string>();
  const lines = shown.flatMap((check, at) => [rows[at] ?? "", ...renderEvidence(check, named, options)]);
  const rest = counted.length - shown.length;
  return [
    ...lines,
    ...(rest > 0 ? [`  and ${rest} more (--wide)`] : []),
    ...verdict.limits.filter(isCrossed).flatMap((limit) => renderLimit(limit, options)),
  ];
}

function toCells(check: GateCheck): AlignedCell[] {
  const style = check.ruling === "failed" ? "bad" : "strong";
  return [
    { text: check.id, style },
    { text: `${describeFound(check)}${check.isNewRoom ? ", new room" : ""}` },
    { text: check.ruling === "warned" ? "warning" : "" },
  ];
}

/** Any other id would need quotes in a shell. */
const SESSION_ID = /^[\w-]+$/;

function renderEvidence({ evidence }: GateCheck, named: Set<string>, options: RenderOptions): string[] {
  const first = evidence.find(({ sessionId }) => !named.has(sessionId));
  if (first === undefined) return [];
  named.add(first.sessionId);
  const command = SESSION_ID.test(first.sessionId) ? `playtest sessions get ${first.sessionId}` : "";
  return [first.title ?? "", command]
    .filter((text) => text !== "")
    .flatMap((text) => renderParagraph(cleanLine(text), "      ", options));
}

function renderLimit(limit: LimitFinding, options: RenderOptions): string[] {
  const text = `${describeLimit(limit)}${limit.status === "warned" ? ", a warning" : ""}`;
  return renderParagraph(cleanLine(text), "  ", options);
}

/** What this run can catch, unless it passed for lack of anything to compare. */
function describeSensitivity({ detection, judged, b }: GateVerdict): string[] {
  if (judged === 0 || detection === null || detection.testersB === null) return [];
  return [
    `This run can catch a new problem that hits ${detection.testersB} or more of ${b.testers} testers.`,
  ];
}

function renderAll(verdict: GateVerdict, options: RenderOptions): string[] {
  const cells = verdict.checks.map((check): AlignedCell[] => [
    { text: rulingTitles[check.ruling] },
    { text: check.id },
    { text: check.reason ?? describeFound(check) },
  ]);
  const limits = verdict.limits.map((limit): AlignedCell[] => [
    { text: getLimitResult(limit) },
    { text: limit.name },
    { text: `${limit.found}, limit: ${limit.expected}` },
  ]);
  return alignCells([...cells, ...limits], "  ", options);
}

function renderSuggestions({ suggestions }: GateVerdict, options: RenderOptions): string[] {
  if (suggestions.length === 0) return [];
  const texts = suggestions.map(({ title, rationale }) => `${title}. ${rationale}`);
  return [
    "Suggestions (not part of the verdict)",
    ...texts.flatMap((text) => renderParagraph(cleanLine(text), "  ", options)),
  ];
}
