/** The verdict as JUnit XML: a suite with one case for each checked tag and limit. */

import type { OnInconclusive } from "../../gate/config.ts";
import { describeLimit } from "../../gate/reasons.ts";
import type { GateFinding, GateVerdict, LimitFinding } from "../../gate/verdict.ts";
import { formatTagTitle, formatTitleAndTag } from "../../shared/tags.ts";
import { answerGate } from "./answer.ts";
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
import { xmlTag, xmlText } from "./xml.ts";

export interface JunitOptions {
  /** Unix ms: when the gate ran. */
  readonly now: number;
  /** The effect of an inconclusive verdict: `fail` makes it an error, the others a skipped case. */
  readonly onInconclusive: OnInconclusive;
}

/** A case, explained by `lines`. */
interface TestCase {
  readonly classname: string;
  readonly name: string;
  readonly outcome: "passed" | "failure" | "error" | "skipped";
  readonly message: string;
  readonly type: string;
  readonly lines: readonly string[];
  /** Text for the output of the suite; null for none. */
  readonly output: string | null;
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
  const count = (outcome: TestCase["outcome"]) =>
    cases.filter((testCase) => testCase.outcome === outcome).length;
  const suite = xmlTag("testsuite", {
    id: 0,
    name: `playtest gate ${headline(verdict)}`,
    package: "playtest.gate",
    hostname: "localhost",
    timestamp: new Date(options.now).toISOString().slice(0, 19),
    tests: cases.length,
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
    time: 0,
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `${suite}>`,
    ...formatProperties(verdict),
    ...cases.map(formatCase),
    `<system-out>${xmlText(formatOutput(verdict, cases))}</system-out>`,
    "<system-err></system-err>",
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function formatProperties({ game, environment, a, b, method, verdict }: GateVerdict): string[] {
  const values = { game, environment, a: a.version, b: b.version, method, verdict };
  const properties = Object.entries(values).map(
    ([name, value]) => `${xmlTag("property", { name, value })}/>`,
  );
  return ["<properties>", ...properties, "</properties>"];
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

function formatCase({ classname, name, outcome, message, type, lines }: TestCase): string {
  const start = xmlTag("testcase", { classname, name, time: 0 });
  if (outcome === "passed") return `${start}/>`;
  if (outcome === "skipped") return `${start}>${xmlTag("skipped", { message })}/></testcase>`;
  return `${start}>${xmlTag(outcome, { message, type })}>${xmlText(lines.join("\n"))}</${outcome}></testcase>`;
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
