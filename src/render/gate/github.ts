/** The verdict of a gate for GitHub Actions: annotations, the summary of the step, and its outputs. */
import type { OnInconclusive } from "../../gate/config.ts";
import type { GateVerdict } from "../../gate/verdict.ts";
import { cleanLine } from "../text.ts";
import { gateMarkdown } from "./markdown.ts";
import {
  countStatus,
  describeEvidence,
  describeExpected,
  describeFound,
  headline,
  summarizeVerdict,
  truncateText,
} from "./words.ts";

type Severity = "error" | "warning" | "notice";

interface Annotation {
  readonly severity: Severity;
  readonly title: string;
  readonly message: string;
}

/** GitHub shows so many annotations of each severity for a step, and drops the others. */
const MAX_PER_SEVERITY = 10;
/** GitHub cuts titles at 255 characters. */
const MAX_TITLE = 120;
const MAX_MESSAGE = 2_000;
/** Bytes that the summary of a step may have. */
const MAX_SUMMARY = 1024 * 1024;

/** Workflow commands, a line each. More of a severity than GitHub shows are summed up in its last line. */
export function gateAnnotations(verdict: GateVerdict, onInconclusive: OnInconclusive): string {
  const all = buildAnnotations(verdict, onInconclusive);
  const lines = (["error", "warning", "notice"] as const).flatMap((severity) =>
    limitAnnotations(
      all.filter((one) => one.severity === severity),
      severity,
    ),
  );
  return lines.map((one) => `${formatCommand(one)}\n`).join("");
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
  const tags = verdict.findings.flatMap((one): Annotation[] => {
    if (one.status !== "failed" && one.status !== "warned") return [];
    const evidence = one.evidence.map((known) => `Evidence: ${describeEvidence(known)}`);
    const lines = [
      `Found ${describeFound(one, verdict)}.`,
      `Expected ${describeExpected(one, verdict)}.`,
      ...evidence,
    ];
    const message = lines.map(cleanLine).join("\n");
    return [{ severity: severities[one.status], title: `${one.tag} ${one.status}: ${one.kind}`, message }];
  });
  const limits = verdict.limits.flatMap(({ name, status, expected, found }): Annotation[] => {
    if (status !== "failed" && status !== "warned") return [];
    const message = `Found ${found}, expected ${expected}.`;
    return [{ severity: severities[status], title: `${name} ${status}`, message }];
  });
  return [verdictAnnotation(verdict, onInconclusive), ...tags, ...limits, ...toNoteAnnotations(verdict)];
}

/** The verdict itself comes first: an error only where it fails the step without another that says why. */
function verdictAnnotation(verdict: GateVerdict, onInconclusive: OnInconclusive): Annotation {
  const severities = { fail: "error", warn: "warning", pass: "notice" } as const;
  const severity = verdict.verdict === "inconclusive" ? severities[onInconclusive] : "notice";
  const reasons = verdict.verdict === "inconclusive" ? verdict.reasons : [];
  const lines = [headline(verdict), summarizeVerdict(verdict), ...reasons];
  const message = lines.map(cleanLine).join("\n");
  return { severity, title: `Playtest gate ${verdict.verdict}`, message };
}

function toNoteAnnotations({ notes }: GateVerdict): Annotation[] {
  return notes.map((message) => ({ severity: "warning", title: "Playtest gate", message }));
}

function formatCommand({ severity, title, message }: Annotation): string {
  const text = truncateText(message, MAX_MESSAGE).split("\n").map(cleanLine).join("\n");
  return `::${severity} title=${escapeProperty(cleanLine(truncateText(title, MAX_TITLE)))}::${escapeData(text)}`;
}

/** The message of a workflow command: actions/toolkit, packages/core/src/command.ts. */
const escapeData = (text: string) =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapeProperty = (text: string) => escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** What goes into the file that GITHUB_STEP_SUMMARY names. */
export function gateSummary(verdict: GateVerdict): string {
  return gateMarkdown(verdict, { most: MAX_SUMMARY });
}

/** What goes at the end of the file that GITHUB_OUTPUT names: verdict, counts, and reasons, a line each. */
export function gateOutputs(verdict: GateVerdict): string {
  const outputs = {
    verdict: verdict.verdict,
    failed: String(countStatus(verdict, "failed")),
    warned: String(countStatus(verdict, "warned")),
    judged: String(verdict.judged),
    reasons: verdict.reasons.map(cleanLine).join("\n"),
  };
  return Object.entries(outputs)
    .map(([name, value]) => {
      const end = delimiterFor(value);
      return `${name}<<${end}\n${value}\n${end}\n`;
    })
    .join("");
}

/** A line that the value has nowhere in it. */
function delimiterFor(value: string): string {
  let delimiter = "GATE_END";
  while (value.includes(delimiter)) delimiter += "_";
  return delimiter;
}
