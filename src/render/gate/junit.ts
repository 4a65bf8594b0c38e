/** The verdict as JUnit XML: a suite with one case for each checked tag and limit. */
import { describeScope } from "../../charts/scorecard.ts";
import type { OnInconclusive } from "../../gate/config.ts";
import { describeLimit } from "../../gate/judge.ts";
import type { GateCheck, GateVerdict, LimitFinding, Ruling } from "../../gate/verdict.ts";
import { renderSuite, type TestCase } from "./junit-suite.ts";
import { concludeGate, selectCounted, summarizeGate } from "./summary.ts";
import {
  describeEvidence,
  describeFound,
  describeMethod,
  describeRule,
  describeWatched,
  getLimitResult,
  rulingTitles,
} from "./words.ts";

export interface JunitOptions {
  /** Unix ms: when the gate ran. */
  readonly now: number;
  /** The effect of an inconclusive verdict: `fail` makes it an error, the others a skipped case. */
  readonly onInconclusive: OnInconclusive;
}

/** The rows that are skipped cases. */
const skipped: readonly Ruling[] = ["unsure", "not comparable", "allowed"];

/**
 * The document. Rows that may be chance are passed cases. Allowed rows and those with too few testers or that cannot be
 * compared are skipped cases with a reason. Warnings are passed cases and listed in the output of the suite, because
 * the common JUnit schema has no output per case (Jenkins shows the output of the suite with each case). Rows that
 * do not decide are left out.
 */
export function gateJunit(verdict: GateVerdict, options: JunitOptions): string {
  const counted = selectCounted(verdict);
  const others = verdict.checks.filter((check) => !counted.includes(check));
  const cases = [
    ...inconclusiveCase(verdict, options.onInconclusive),
    ...[...counted, ...others]
      .filter(({ ruling, level }) => ruling !== "off" && level !== "off")
      .map((check) => checkCase(check, verdict)),
    ...verdict.limits.map((limit) => limitCase(limit, verdict)),
  ];
  const summary = summarizeGate(verdict);
  const { game, environment, a, b, status } = summary;
  return renderSuite({
    name: `playtest gate ${describeScope(summary)}`,
    now: options.now,
    properties: { game, environment, a: a.version, b: b.version, verdict: status },
    cases,
    output: formatOutput(summary.answer, verdict, cases),
  });
}

function formatOutput(answer: string, verdict: GateVerdict, cases: readonly TestCase[]): string {
  return [
    answer,
    ...[describeWatched(verdict)].filter((line) => line !== null),
    describeMethod(verdict),
    ...cases.flatMap(({ output }) => output ?? []),
    ...verdict.notes,
    ...verdict.suggestions.map(
      ({ title, rationale }) => `Suggestion (not part of the verdict): ${title}: ${rationale}`,
    ),
  ].join("\n");
}

const formatClassName = ({ game }: GateVerdict, what: string) => `playtest.gate.${game}.${what}`;

function inconclusiveCase(verdict: GateVerdict, onInconclusive: OnInconclusive): TestCase[] {
  if (verdict.verdict !== "inconclusive") return [];
  const outcome = onInconclusive === "fail" ? "error" : "skipped";
  const message = concludeGate(verdict);
  const output = onInconclusive === "warn" ? `Warning: ${message}` : null;
  const classname = formatClassName(verdict, "verdict");
  return [
    {
      classname,
      name: "Enough data to decide",
      outcome,
      message,
      type: "inconclusive",
      lines: verdict.reasons,
      output,
    },
  ];
}

function checkCase(check: GateCheck, verdict: GateVerdict): TestCase {
  const { id, title, kind, ruling, reason, evidence, status } = check;
  const found = describeFound(check);
  const isSkipped = skipped.includes(ruling);
  const message = isSkipped ? `${rulingTitles[ruling]}: ${reason ?? found}` : `${status}: ${found}`;
  const lines = [
    `row: ${id}`,
    `title: ${title}`,
    `rule: ${describeRule(check)}`,
    `found: ${found}`,
    ...evidence.map((insight) => `evidence: ${describeEvidence(insight)}`),
  ];
  return {
    classname: formatClassName(verdict, check.family),
    // CI services follow a case over time by its name, so the name must not contain a question that may change.
    name: id,
    outcome: ruling === "failed" ? "failure" : isSkipped ? "skipped" : "passed",
    message,
    type: kind ?? check.family,
    lines,
    output: ruling === "warned" ? ["Warning:", ...lines].join("\n") : null,
  };
}

function limitCase(limit: LimitFinding, verdict: GateVerdict): TestCase {
  const { name, status, expected, found } = limit;
  const outcomes = {
    failed: "failure",
    unknown: "skipped",
    warned: "passed",
    noise: "passed",
    passed: "passed",
  } as const;
  const unchecked = limit.reason === null ? "" : `: ${getLimitResult(limit)}`;
  const message = `${describeLimit(limit)}${unchecked}`;
  return {
    classname: formatClassName(verdict, "limits"),
    name: `${name}: ${expected}`,
    outcome: outcomes[status],
    message,
    type: "limit",
    lines: [`limit: ${expected}`, `found: ${found}`],
    output: status === "warned" ? `Warning: ${message}` : null,
  };
}
