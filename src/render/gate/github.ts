/** The verdict for GitHub Actions: annotations, the step summary and the step outputs. */
import { describeScope } from "../../charts/scorecard.ts";
import type { OnInconclusive } from "../../gate/config.ts";
import type { GateVerdict } from "../../gate/verdict.ts";
import { cleanLine, truncateText } from "../text.ts";
import { gateMarkdown } from "./markdown.ts";
import { countRuled, summarizeGate } from "./summary.ts";
import { describeEvidence, describeFound, describeRule, describeWatched } from "./words.ts";

type Severity = "error" | "warning" | "notice";

export interface Annotation {
  readonly severity: Severity;
  readonly title: string;
  readonly message: string;
}

/** GitHub shows this many annotations of each severity per step and drops the others. */
const MAX_PER_SEVERITY = 10;
/** Well below 255 characters, where GitHub truncates titles. */
const MAX_TITLE = 120;
const MAX_MESSAGE = 2_000;
/** GitHub's limit for a step summary, in bytes. */
export const MAX_SUMMARY = 1024 * 1024;

/**
 * Workflow commands, one per line. If a severity has more annotations than GitHub shows, its last annotation lists the
 * titles of the rest.
 */
export function gateAnnotations(verdict: GateVerdict, onInconclusive: OnInconclusive): string {
  const all = buildAnnotations(verdict, onInconclusive);
  const lines = (["error", "warning", "notice"] as const).flatMap((severity) =>
    limitAnnotations(
      all.filter((annotation) => annotation.severity === severity),
      severity,
    ),
  );
  return lines.map((annotation) => `${formatAnnotation(annotation)}\n`).join("");
}

function limitAnnotations(all: readonly Annotation[], severity: Severity): Annotation[] {
  if (all.length <= MAX_PER_SEVERITY) return [...all];
  const shown = all.slice(0, MAX_PER_SEVERITY - 1);
  const rest = all.slice(MAX_PER_SEVERITY - 1);
  const message = rest.map(({ title }) => title).join("; ");
  return [...shown, { severity, title: `Playtest gate: ${rest.length} more`, message }];
}

function buildAnnotations(verdict: GateVerdict, onInconclusive: OnInconclusive): Annotation[] {
  const severities = { failed: "error", warned: "warning" } as const;
  const rows = verdict.checks.flatMap((check): Annotation[] => {
    const { id, title, ruling } = check;
    if (ruling !== "failed" && ruling !== "warned") return [];
    const lines = [
      `Row: ${id}`,
      `Found: ${describeFound(check)}`,
      `Rule: ${describeRule(check)}`,
      ...check.evidence.map((insight) => `Evidence: ${describeEvidence(insight)}`),
    ];
    return [{ severity: severities[ruling], title, message: lines.map(cleanLine).join("\n") }];
  });
  const limits = verdict.limits.flatMap(({ name, status, expected, found }): Annotation[] => {
    if (status !== "failed" && status !== "warned") return [];
    const message = `Found: ${found}\nLimit: ${expected}`;
    return [{ severity: severities[status], title: `Limit crossed: ${name}`, message }];
  });
  return [verdictAnnotation(verdict, onInconclusive), ...rows, ...limits, ...toNoteAnnotations(verdict)];
}

/** The verdict itself. It is an error only if it is inconclusive and fails the step; failures have their own errors. */
function verdictAnnotation(verdict: GateVerdict, onInconclusive: OnInconclusive): Annotation {
  const severities = { fail: "error", warn: "warning", pass: "notice" } as const;
  const severity = verdict.verdict === "inconclusive" ? severities[onInconclusive] : "notice";
  const reasons = verdict.verdict === "inconclusive" ? verdict.reasons : [];
  const summary = summarizeGate(verdict);
  const watched = describeWatched(verdict);
  const lines = [describeScope(summary), ...(watched === null ? [] : [watched]), ...reasons];
  return { severity, title: summary.answer, message: lines.map(cleanLine).join("\n") };
}

function toNoteAnnotations({ notes }: GateVerdict): Annotation[] {
  return notes.map((message) => ({ severity: "warning", title: "Playtest gate", message }));
}

/** A workflow command, without a line feed. */
export function formatAnnotation({ severity, title, message }: Annotation): string {
  const text = truncateText(message, MAX_MESSAGE).split("\n").map(cleanLine).join("\n");
  return `::${severity} title=${escapeProperty(cleanLine(truncateText(title, MAX_TITLE)))}::${escapeData(text)}`;
}

/** Escapes the message of a workflow command as packages/core/src/command.ts in actions/toolkit does. */
const escapeData = (text: string) =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapeProperty = (text: string) => escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** The content for the file in GITHUB_STEP_SUMMARY. */
export function gateSummary(verdict: GateVerdict): string {
  return gateMarkdown(verdict, { maxBytes: MAX_SUMMARY });
}

/** The content to append to the file in GITHUB_OUTPUT: the verdict, counts, and reasons with one per line. */
export function gateOutputs(verdict: GateVerdict): string {
  const outputs = {
    verdict: verdict.verdict,
    failed: String(countRuled(verdict, "failed")),
    warned: String(countRuled(verdict, "warned")),
    judged: String(verdict.judged),
    reasons: verdict.reasons.map(cleanLine).join("\n"),
  };
  return formatOutputs(outputs);
}

/** The content to append to the file in GITHUB_OUTPUT for these outputs. Values may have several lines. */
export function formatOutputs(outputs: Readonly<Record<string, string>>): string {
  return Object.entries(outputs)
    .map(([name, value]) => {
      const end = delimiterFor(value);
      return `${name}<<${end}\n${value}\n${end}\n`;
    })
    .join("");
}

/** A delimiter that does not occur in the value. */
function delimiterFor(value: string): string {
  let delimiter = "GATE_END";
  while (value.includes(delimiter)) delimiter += "_";
  return delimiter;
}
