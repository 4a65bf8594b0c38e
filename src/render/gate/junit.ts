/** The verdict as JUnit XML: a suite with one case for each checked tag and limit. */

import type { OnInconclusive } from "../../gate/config.ts";
import { describeLimit } from "../../gate/reasons.ts";
import type { GateFinding, GateVerdict, LimitFinding } from "../../gate/verdict.ts";
import { formatTagTitle, formatTitleAndTag } from "../../shared/tags.ts";
import { answerGate } from "./answer.ts";
import { renderSuite, type TestCase } from "./junit-suite.ts";
import {
  describeEvidence,
  describeFound,
  describeMethod,
  describeRule,
  type FindingGroup,
  getChangeTitle,
  getFindingGroup,
  getLimitResult,
  groupFindings,
  headline,
  summarizeVerdict,
} from "./words.ts";

export interface JunitOptions {
  /** Unix ms: when the gate ran. */
  readonly now: number;
  /** The effect of an inconclusive verdict: `fail` makes it an error, the others a skipped case. */
  readonly onInconclusive: OnInconclusive;
}

/** The findings that are skipped cases, with the reason. */
const skipReasons: Readonly<Partial<Record<FindingGroup, string>>> = {
  unsure: "too few testers",
  unjudged: "not judged",
  allowed: "allowed",
};

/**
 * The document. Findings within the limit or not significant are passed cases. Allowed findings and findings with too
 * few testers or that are not judged are skipped cases with a reason. Warnings are passed cases and listed in the output of the suite, because
 * the common JUnit schema has no output per case (Jenkins shows the output of the suite with each case). Findings that
 * are off are left out.
 */
export function gateJunit(verdict: GateVerdict, options: JunitOptions): string {
  const { counted, others } = groupFindings(verdict);
  const cases = [
    ...inconclusiveCase(verdict, options.onInconclusive),
    ...[...counted, ...others]
      .filter(({ status }) => status !== "off")
      .map((finding) => tagCase(finding, verdict)),
    ...verdict.limits.map((limit) => limitCase(limit, verdict)),
  ];
  const { game, environment, a, b, method, verdict: result } = verdict;
  return renderSuite({
    name: `playtest gate ${headline(verdict)}`,
    now: options.now,
    properties: { game, environment, a: a.version, b: b.version, method, verdict: result },
    cases,
    output: formatOutput(verdict, cases),
  });
}

function formatOutput(verdict: GateVerdict, cases: readonly TestCase[]): string {
  return [
    `${verdict.verdict}: ${summarizeVerdict(verdict)}`,
    ...answerGate(verdict),
    describeMethod(verdict).join(" "),
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
  const message = `inconclusive: ${verdict.reasons.join("; ")}`;
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

function tagCase(finding: GateFinding, verdict: GateVerdict): TestCase {
  const { tag, title, kind, status, reason, evidence } = finding;
  const found = describeFound(finding, verdict);
  const skipReason = skipReasons[getFindingGroup(finding, verdict)];
  const message = skipReason ? `${skipReason}: ${reason ?? found}` : `${getChangeTitle(finding)}: ${found}`;
  const lines = [
    `tag: ${tag}`,
    ...(title === formatTagTitle(tag) ? [] : [`friction: ${title}`]),
    `rule: ${describeRule(finding, verdict)}`,
    `found: ${found}`,
    `testers: ${verdict.a.testers} in ${verdict.a.version}, ${verdict.b.testers} in ${verdict.b.version}`,
    ...evidence.map((insight) => `evidence: ${describeEvidence(insight)}`),
  ];
  return {
    classname: formatClassName(verdict, "tags"),
    // CI services follow a case over time by its name, so the name must not contain a question that may change.
    name: formatTitleAndTag({ tag }),
    outcome: status === "failed" ? "failure" : skipReason ? "skipped" : "passed",
    message,
    type: kind,
    lines,
    output: status === "warned" ? ["Warning:", ...lines].join("\n") : null,
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
