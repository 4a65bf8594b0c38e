/** The verdict of a gate as JUnit XML: a suite with a case for each tag and each limit judged. */
import type { OnInconclusive } from "../../gate/config.ts";
import type { FindingStatus, GateFinding, GateVerdict, LimitFinding } from "../../gate/verdict.ts";
import { evidenceOf, expectedOf, foundOf, headline, inGroups, methodOf, sentenceOf } from "./words.ts";
import { xmlTag, xmlText } from "./xml.ts";

export interface JunitOptions {
  /** Unix ms: when the gate was judged. */
  readonly now: number;
  /** What an inconclusive verdict counts as: an error, or else a case that is skipped. */
  readonly onInconclusive: OnInconclusive;
}

/** How a case ended; `lines` explain it. */
interface Case {
  readonly classname: string;
  readonly name: string;
  readonly outcome: "passed" | "failure" | "error" | "skipped";
  readonly message: string;
  readonly type: string;
  readonly lines: readonly string[];
  /** What the suite tells of it, as output; null for nothing. */
  readonly told: string | null;
}

/** Judged too, but nobody could tell. */
const skipped: Readonly<Partial<Record<FindingStatus, string>>> = {
  unsure: "too few testers to judge it",
  allowed: "allowed",
};

/**
 * The document. What may be chance and what is not material has passed; what is allowed, or had too few testers, is
 * skipped with its reason. Warnings are passed cases told in the suite's output: the common schema gives cases no output
 * of their own, and Jenkins shows the suite's with each. Off is no case.
 */
export function gateJunit(verdict: GateVerdict, options: JunitOptions): string {
  const { counted, others } = inGroups(verdict);
  const cases = [
    ...inconclusiveCase(verdict, options.onInconclusive),
    ...[...counted, ...others].filter(({ status }) => status !== "off").map((one) => tagCase(one, verdict)),
    ...verdict.limits.map((one) => limitCase(one, verdict)),
  ];
  const count = (outcome: Case["outcome"]) => cases.filter((one) => one.outcome === outcome).length;
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
    ...propertiesOf(verdict),
    ...cases.map(drawCase),
    `<system-out>${xmlText(outputOf(verdict, cases))}</system-out>`,
    "<system-err></system-err>",
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function propertiesOf({ game, environment, a, b, method, verdict }: GateVerdict): string[] {
  const values = { game, environment, a: a.version, b: b.version, method, verdict };
  const drawn = Object.entries(values).map(([name, value]) => `${xmlTag("property", { name, value })}/>`);
  return ["<properties>", ...drawn, "</properties>"];
}

function outputOf(verdict: GateVerdict, cases: readonly Case[]): string {
  return [
    `${verdict.verdict}: ${sentenceOf(verdict)}`,
    methodOf(verdict),
    ...cases.flatMap(({ told }) => told ?? []),
    ...verdict.notes,
    ...verdict.suggestions.map(({ title, rationale }) => `Suggested, never judged: ${title}: ${rationale}`),
  ].join("\n");
}

function drawCase({ classname, name, outcome, message, type, lines }: Case): string {
  const start = xmlTag("testcase", { classname, name, time: 0 });
  if (outcome === "passed") return `${start}/>`;
  if (outcome === "skipped") return `${start}>${xmlTag("skipped", { message })}/></testcase>`;
  return `${start}>${xmlTag(outcome, { message, type })}>${xmlText(lines.join("\n"))}</${outcome}></testcase>`;
}

const classOf = ({ game }: GateVerdict, what: string) => `playtest.gate.${game}.${what}`;

function inconclusiveCase(verdict: GateVerdict, onInconclusive: OnInconclusive): Case[] {
  if (verdict.verdict !== "inconclusive") return [];
  const outcome = onInconclusive === "fail" ? "error" : "skipped";
  const message = `inconclusive: ${verdict.reasons.join("; ")}`;
  const told = onInconclusive === "warn" ? `Warning: ${message}` : null;
  const classname = classOf(verdict, "verdict");
  return [
    { classname, name: "conclusive", outcome, message, type: "inconclusive", lines: verdict.reasons, told },
  ];
}

function tagCase(finding: GateFinding, verdict: GateVerdict): Case {
  const { tag, kind, status, reason, evidence } = finding;
  const found = foundOf(finding, verdict);
  const message = skipped[status] ? `${skipped[status]}: ${reason ?? found}` : `${kind}: ${found}`;
  const lines = [
    `tag: ${tag}`,
    `expected: ${expectedOf(finding, verdict)}`,
    `found: ${found}`,
    `testers: ${verdict.a.testers} of ${verdict.a.version}, ${verdict.b.testers} of ${verdict.b.version}`,
    ...evidence.map((one) => `evidence: ${evidenceOf(one)}`),
  ];
  const told = status === "warned" ? ["Warning:", ...lines].join("\n") : null;
  const classname = classOf(verdict, "tags");
  return { classname, name: tag, outcome: outcomeOf(finding), message, type: kind, lines, told };
}

function outcomeOf({ status }: GateFinding): Case["outcome"] {
  if (status === "failed") return "failure";
  return skipped[status] ? "skipped" : "passed";
}

function limitCase({ name, status, expected, found }: LimitFinding, verdict: GateVerdict): Case {
  const outcomes = { failed: "failure", unknown: "skipped", warned: "passed", passed: "passed" } as const;
  const message = `${name} is ${found}, expected ${expected}`;
  return {
    classname: classOf(verdict, "limits"),
    name: `${name}: ${expected}`,
    outcome: outcomes[status],
    message,
    type: "limit",
    lines: [`expected: ${expected}`, `found: ${found}`],
    told: status === "warned" ? `Warning: ${message}` : null,
  };
}
