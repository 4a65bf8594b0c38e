/** The plain answer of the gate: what is worse, for how many testers, what could be missed, ratings and completed rooms. */
import { describeOutcomes } from "../../charts/comparison-answer.ts";
import type { GateFinding, GateVerdict } from "../../gate/verdict.ts";
import { formatCount } from "../numbers.ts";

/** Names of problems in the first sentence; the others are counted. */
const MAX_NAMED = 3;

/** The verdict in one line, as the title of a comment. */
export function titleVerdict(verdict: GateVerdict): string {
  const { a, b, findings, limits } = verdict;
  const [before, after] = [a.version, b.version];
  if (verdict.verdict === "inconclusive")
    return `Gate inconclusive: it is not known whether ${after} is worse than ${before}`;
  if (verdict.verdict === "failed") {
    const problems = findings.filter(({ status }) => status === "failed").length;
    const crossed = limits.filter(({ status }) => status === "failed").length;
    const parts = [
      ...(problems === 0
        ? []
        : [`${countWithVerb(problems, "problem")} new or worse in ${after} than in ${before}`]),
      ...(crossed === 0 ? [] : [`${countWithVerb(crossed, "limit")} crossed in ${after}`]),
    ];
    return `Gate failed: ${parts.join(", and ")}`;
  }
  const tolerated =
    findings.filter(isTolerated).length + limits.filter(({ status }) => status === "warned").length;
  return tolerated === 0
    ? `Gate passed: ${after} is not measurably worse than ${before}`
    : `Gate passed: ${formatCount(tolerated, "change")} from ${before} to ${after} beyond a limit, but allowed or only a warning`;
}

const countWithVerb = (count: number, noun: string) =>
  `${formatCount(count, noun)} ${count === 1 ? "is" : "are"}`;

/** The answer, one sentence per item. */
export function answerGate(verdict: GateVerdict): string[] {
  const { a, b, outcomes } = verdict;
  return [
    ...describeResult(verdict),
    ...describeDetection(verdict),
    ...(outcomes === null
      ? []
      : describeOutcomes(
          { version: a.version, outcomes: outcomes.a },
          { version: b.version, outcomes: outcomes.b },
        )),
  ];
}

function describeResult({ verdict, a, b, findings, limits, judged }: GateVerdict): string[] {
  if (verdict === "inconclusive")
    return [`It is not known whether build ${b.version} is worse than ${a.version}.`];
  const tolerated = findings.filter(isTolerated);
  if (verdict === "passed" && tolerated.length > 0) {
    return [
      `Build ${b.version} passes, although friction increased beyond its limit: ${listProblems(tolerated)}.`,
    ];
  }
  if (verdict === "passed") {
    return [
      `Build ${b.version} is not measurably worse than ${a.version}: no friction increased significantly beyond its limit (${formatCount(judged, "tag")} compared).`,
    ];
  }
  const failed = findings.filter(({ status }) => status === "failed");
  const crossed = limits.filter(({ status }) => status === "failed").map(({ name }) => name);
  return [
    ...(failed.length === 0
      ? []
      : [`Build ${b.version} has friction that is worse than in ${a.version}: ${listProblems(failed)}.`]),
    ...(crossed.length === 0 ? [] : [`Build ${b.version} crosses the limits of ${crossed.join(", ")}.`]),
  ];
}

/** Whether a tag increased beyond its limit, but its rule only warns, or an exception or a rule that is off ignores it. */
const isTolerated = ({ status, level, expected, found }: GateFinding) =>
  status === "warned" ||
  status === "allowed" ||
  (status === "off" &&
    level === "off" &&
    (found.judged?.deltaPct ?? found.deltaPct) > expected.maxIncreasePoints &&
    (found.adjustedP ?? 1) <= 1 - expected.confidence);

/** Why an increase beyond its limit does not fail the gate. */
const tolerances: Partial<Record<GateFinding["status"], string>> = {
  warned: "only a warning",
  allowed: "allowed",
  off: "ignored by the rules or --fail-on",
};

/** Names the first problems, with why they do not fail, and counts the others. */
function listProblems(findings: readonly GateFinding[]): string {
  const named = findings.slice(0, MAX_NAMED).map((finding) => {
    const tolerance = tolerances[finding.status];
    return `${describeProblem(finding)}${tolerance === undefined ? "" : `, ${tolerance}`}`;
  });
  const rest = findings.length - named.length;
  return `${named.join("; ")}${rest === 0 ? "" : `; and ${formatCount(rest, "more problem")}`}`;
}

function describeProblem({ title, found }: GateFinding): string {
  const { judged } = found;
  if (judged === null) return title;
  return `${title} (${judged.testersB} of ${judged.totalB} testers, before ${judged.testersA} of ${judged.totalA})`;
}

/** How many testers a new problem must affect to be noticed; nothing if no tags were compared, so that nothing can be. */
export function describeDetection({ detection, judged, a, b }: GateVerdict): string[] {
  if (judged === 0 || detection === null || detection.testersB === null) return [];
  const testers = `${a.judgedTesters} and ${formatCount(b.judgedTesters, "tester")}`;
  return [
    `With ${testers}, a new problem must affect ${detection.testersB} of ${b.judgedTesters} to be noticed.`,
  ];
}
