/** Decides when the gate is inconclusive: too few testers, no checked tags, rules that need more testers, or unknown limits. */

import { fisherPValue } from "../shared/statistics/fisher.ts";
import { computeIncrease, type GateBuild } from "./build-comparison.ts";
import {
  DEFAULT_CONFIDENCE,
  DEFAULT_MIN_TESTERS,
  type GateConfig,
  type GateLimits,
  type GateRules,
} from "./config.ts";
import { describeTooFewTesters } from "./reasons.ts";
import type { GateFinding, LimitFinding } from "./verdict.ts";

interface GateContext {
  readonly config: GateRules;
  readonly environment: string;
  readonly a: GateBuild;
  readonly b: GateBuild;
}

/** The minimum number of testers in each build. A rule for a kind or tag can require more for its own tags. */
export const requiredTesters = ({ minTesters = DEFAULT_MIN_TESTERS }: GateConfig) => minTesters;

/** Reasons why the builds have too few testers for any result; empty if they have enough. */
export function explainTooFewTesters({ config, a, b, environment }: GateContext): string[] {
  const required = requiredTesters(config);
  const reasons = [a, b].flatMap(({ version, testers }) => {
    const where = formatEnvironment(environment);
    if (testers === 0) return [`build ${version} has no testers${where}`];
    if (testers >= required) return [];
    const count = `${testers} ${testers === 1 ? "tester" : "testers"}`;
    return [`build ${version} has ${count}${where}; at least ${required} are required`];
  });
  if (reasons.length > 0) return reasons;
  const lowestP = fisherPValue({ testersA: 0, totalA: a.testers, testersB: b.testers, totalB: b.testers });
  if (lowestP <= 1 - (config.confidence ?? DEFAULT_CONFIDENCE)) return [];
  return [
    `${a.testers} and ${b.testers} testers are not enough: even a tag that affects all testers of ${b.version} and none of ${a.version} would not be statistically significant`,
  ];
}

const formatEnvironment = (environment: string) => (environment === "all" ? "" : ` in ${environment}`);

/** The results for builds with enough testers. */
interface GateResults {
  readonly findings: readonly GateFinding[];
  readonly limits: readonly LimitFinding[];
  /** Number of checked tags. */
  readonly judged: number;
  /** Whether any tag has a rule that is not off. */
  readonly hasRules: boolean;
}

/**
 * `inconclusive`: reasons why the gate cannot pass if nothing failed. `notes`: all increases of tags with too few testers
 * for their rule, whether or not they are among these reasons.
 */
export function findInconclusiveReasons(
  context: GateContext,
  { findings, limits, judged, hasRules }: GateResults,
): { readonly inconclusive: string[]; readonly notes: string[] } {
  const { couldFail, others } = findUncertainIncreases(findings, context);
  const unchecked =
    judged > 0 || couldFail.length > 0 ? [] : [explainNothingChecked(context.environment, hasRules)];
  return {
    inconclusive: [...couldFail, ...unchecked, ...describeUnknownLimits(limits, context.config)],
    notes: [...couldFail, ...others],
  };
}

function explainNothingChecked(environment: string, hasRules: boolean): string {
  if (hasRules) return "every tag needs more testers for its rule than these builds have";
  const where = formatEnvironment(environment);
  return `no tags to check${where}: neither build has friction, or every tag is turned off or allowed`;
}

/**
 * Describes the tags that increased by more than their limit, are not allowed, and have too few testers for their rule:
 * those that could have failed the gate, and the others. Up to `maxNew` introduced tags cannot fail it.
 */
function findUncertainIncreases(
  findings: readonly GateFinding[],
  { config, a, b }: GateContext,
): { readonly couldFail: string[]; readonly others: string[] } {
  const uncertain = findings.filter(
    ({ status, reason, found, expected }) =>
      status === "unsure" && reason === null && computeIncrease(found, a, b) > expected.maxIncreasePoints,
  );
  const isNew = ({ kind, level }: GateFinding) => kind === "introduced" && level === "error";
  const certainNew = findings.filter(
    (finding) => isNew(finding) && ["failed", "warned"].includes(finding.status),
  );
  const withinMaxNew = certainNew.length + uncertain.filter(isNew).length <= (config.maxNew ?? 0);
  const canFail = (finding: GateFinding) => finding.level === "error" && !(isNew(finding) && withinMaxNew);
  const describe = (all: readonly GateFinding[]) =>
    all.map((finding) => describeTooFewTesters(finding, a, b));
  return {
    couldFail: describe(uncertain.filter(canFail)),
    others: describe(uncertain.filter((finding) => !canFail(finding))),
  };
}

/** The gate cannot pass while the value of a limit of level `error` is unknown. */
function describeUnknownLimits(
  limits: readonly LimitFinding[],
  { limits: rules = {} }: GateConfig,
): string[] {
  return limits
    .filter(({ name, status }) => status === "unknown" && rules[name as keyof GateLimits]?.level !== "warn")
    .map(({ name }) => `the value of ${name} is unknown`);
}

/** Replaces the status of failures and warnings, unless `status` is null: with too few testers, nothing fails or warns. */
export function downgradeToInconclusive<T extends { readonly status: string }>(
  all: readonly T[],
  status: T["status"] | null,
): T[] {
  if (status === null) return [...all];
  return all.map((item) =>
    item.status === "failed" || item.status === "warned" ? { ...item, status } : item,
  );
}
