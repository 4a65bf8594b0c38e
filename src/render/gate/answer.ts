/** The plain answer of the gate: what is worse, for how many testers, what could be missed, ratings and completed rooms. */
import { describeOutcomes } from "../../charts/comparison-answer.ts";
import type { GateFinding, GateVerdict } from "../../gate/verdict.ts";
import { formatCount } from "../numbers.ts";

/** Names of problems in the first sentence; the others are counted. */
const MAX_NAMED = 3;

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
  if (verdict === "passed" && findings.some(isIgnoredIncrease)) {
    return [
      `Build ${b.version} passes, because the rules turn off the friction that increased significantly (${formatCount(judged, "tag")} compared).`,
    ];
  }
  if (verdict === "passed") {
    return [
      `Build ${b.version} is not measurably worse than ${a.version}: no friction increased significantly beyond its limit (${formatCount(judged, "tag")} compared).`,
    ];
  }
  const failed = findings.filter(({ status }) => status === "failed");
  const crossed = limits.filter(({ status }) => status === "failed").map(({ name }) => name);
  const named = failed.slice(0, MAX_NAMED).map(describeProblem);
  const rest = failed.length - named.length;
  return [
    ...(failed.length === 0
      ? []
      : [
          `Build ${b.version} has friction that is worse than in ${a.version}: ${named.join("; ")}${rest === 0 ? "" : `; and ${formatCount(rest, "more problem")}`}.`,
        ]),
    ...(crossed.length === 0 ? [] : [`Build ${b.version} crosses the limits of ${crossed.join(", ")}.`]),
  ];
}

/** Whether a tag increased significantly beyond its limit, but its rule is off. */
const isIgnoredIncrease = ({ status, level, expected, found }: GateFinding) =>
  status === "off" &&
  level === "off" &&
  (found.judged?.deltaPct ?? found.deltaPct) > expected.maxIncreasePoints &&
  (found.adjustedP ?? 1) <= 1 - expected.confidence;

function describeProblem({ title, found }: GateFinding): string {
  const { judged } = found;
  if (judged === null) return title;
  return `${title} (${judged.testersB} of ${judged.totalB} testers, before ${judged.testersA} of ${judged.totalA})`;
}

/** How many testers a new problem must affect to be noticed. */
export function describeDetection({ detection, a, b }: GateVerdict): string[] {
  if (detection === null || detection.testersB === null) return [];
  const testers = `${a.judgedTesters} and ${formatCount(b.judgedTesters, "tester")}`;
  return [
    `With ${testers}, a new problem must affect ${detection.testersB} of ${b.judgedTesters} to be noticed.`,
  ];
}
