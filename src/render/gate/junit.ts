/** The verdict of a gate as JUnit XML: a suite with a case for each tag and each limit judged. */
import type { OnInconclusive } from "../../gate/config.ts";
import type { FindingStatus, GateFinding, GateVerdict, LimitFinding } from "../../gate/verdict.ts";
import {
  describeEvidence,
  describeExpected,
  describeFound,
  describeMethod,
  groupFindings,
  headline,
  summarizeVerdict,
} from "./words.ts";
import { xmlTag, xmlText } from "./xml.ts";

export interface JunitOptions {
  /** Unix ms: when the gate was judged. */
  readonly now: number;
  /** What an inconclusive verdict counts as: an error, or else a case that is skipped. */
  readonly onInconclusive: OnInconclusive;
}

/** How a case ended; `lines` explain it. */
interface TestCase {
  readonly classname: string;
  readonly name: string;
  readonly outcome: "passed" | "failure" | "error" | "skipped";
  readonly message: string;
  readonly type: string;
  readonly lines: readonly string[];
  /** What the suite tells of it, as output; null for nothing. */
  readonly output: string | null;
}

/** Judged too, but nobody could tell. */
const skipReasons: Readonly<Partial<Record<FindingStatus, string>>> = {
  unsure: "too few testers to judge it",
  allowed: "allowed",
};

/**
 * The document. What may be chance and what is not material has passed; what is allowed, or had too few testers, is
 * skipped with its reason. Warnings are passed cases told in the suite's output: the common schema gives cases no output
 * of their own, and Jenkins shows the suite's with each. Off is no case.
 */
export function gateJunit(verdict: GateVerdict, options: JunitOptions): string {
  const { counted, others } = groupFindings(verdict);
  const cases = [
    ...inconclusiveCase(verdict, options.onInconclusive),
    ...[...counted, ...others].filter(({ status }) => status !== "off").map((one) => tagCase(one, verdict)),
    ...verdict.limits.map((one) => limitCase(one, verdict)),
  ];
  const count = (outcome: TestCase["outcome"]) => cases.filter((one) => one.outcome === outcome).length;
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
  const drawn = Object.entries(values).map(([name, value]) => `${xmlTag("property", { name, value })}/>`);
  return ["<properties>", ...drawn, "</properties>"];
}

function formatOutput(verdict: GateVerdict, cases: readonly TestCase[]): string {
  return [
    `${verdict.verdict}: ${summarizeVerdict(verdict)}`,
    describeMethod(verdict),
    ...cases.flatMap(({ output: told }) => told ?? []),
    ...verdict.notes,
    ...verdict.suggestions.map(({ title, rationale }) => `Suggested, never judged: ${title}: ${rationale}`),
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
  const told = onInconclusive === "warn" ? `Warning: ${message}` : null;
  const classname = formatClassName(verdict, "verdict");
  return [
    {
      classname,
      name: "conclusive",
      outcome,
      message,
      type: "inconclusive",
      lines: verdict.reasons,
      output: told,
    },
  ];
}

function tagCase(finding: GateFinding, verdict: GateVerdict): TestCase {
  const { tag, kind, status, reason, evidence } = finding;
  const found = describeFound(finding, verdict);
  const message = skipReasons[status] ? `${skipReasons[status]}: ${reason ?? found}` : `${kind}: ${found}`;
  const lines = [
    `tag: ${tag}`,
    `expected: ${describeExpected(finding, verdict)}`,
    `found: ${found}`,
    `testers: ${verdict.a.testers} of ${verdict.a.version}, ${verdict.b.testers} of ${verdict.b.version}`,
    ...evidence.map((one) => `evidence: ${describeEvidence(one)}`),
  ];
  const told = status === "warned" ? ["Warning:", ...lines].join("\n") : null;
  const classname = formatClassName(verdict, "tags");
  return { classname, name: tag, outcome: resolveOutcome(finding), message, type: kind, lines, output: told };
}

function resolveOutcome({ status }: GateFinding): TestCase["outcome"] {
  if (status === "failed") return "failure";
  return skipReasons[status] ? "skipped" : "passed";
}

function limitCase({ name, status, expected, found }: LimitFinding, verdict: GateVerdict): TestCase {
  const outcomes = { failed: "failure", unknown: "skipped", warned: "passed", passed: "passed" } as const;
  const message = `${name} is ${found}, expected ${expected}`;
  return {
    classname: formatClassName(verdict, "limits"),
    name: `${name}: ${expected}`,
    outcome: outcomes[status],
    message,
    type: "limit",
    lines: [`expected: ${expected}`, `found: ${found}`],
    output: status === "warned" ? `Warning: ${message}` : null,
  };
}
