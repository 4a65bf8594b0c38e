/** What lets a gate conclude nothing: too few testers, nothing judged, growth that its own rule is not sure of, unknown limits. */

import { computeGrowth, type GateBuild } from "./build-comparison.ts";
import {
  DEFAULT_CONFIDENCE,
  DEFAULT_MIN_TESTERS,
  type GateConfig,
  type GateLimits,
  type GateRules,
} from "./config.ts";
import { fisherPValue } from "./fisher.ts";
import { describeTooFewTesters } from "./reasons.ts";
import type { GateFinding, LimitFinding } from "./verdict.ts";

/** What the doubts are about. */
interface GateContext {
  readonly config: GateRules;
  readonly environment: string;
  readonly a: GateBuild;
  readonly b: GateBuild;
}

/** Testers that either build takes for anything to be said; a rule of a kind or tag may take more for itself alone. */
export const requiredTesters = ({ minTesters = DEFAULT_MIN_TESTERS }: GateConfig) => minTesters;

/** Whose testers are too few for anything to be concluded; none where there are enough. */
export function explainTooFewTesters({ config, a, b, environment }: GateContext): string[] {
  const least = requiredTesters(config);
  const few = [a, b].flatMap(({ version, testers }) => {
    if (testers === 0) return [`build ${version} has no testers${formatEnvironment(environment)}`];
    if (testers >= least) return [];
    return [
      `build ${version} has ${testers} of the ${least} testers${formatEnvironment(environment)} that it takes`,
    ];
  });
  if (few.length > 0) return few;
  const surest = fisherPValue({ testersA: 0, totalA: a.testers, testersB: b.testers, totalB: b.testers });
  if (surest <= 1 - (config.confidence ?? DEFAULT_CONFIDENCE)) return [];
  return [
    `${a.testers} and ${b.testers} testers are too few: even a tag that every one of them met could be chance`,
  ];
}

const formatEnvironment = (environment: string) => (environment === "all" ? "" : ` in ${environment}`);

/** What was found by testers enough for the gate. */
interface GateResults {
  readonly findings: readonly GateFinding[];
  readonly limits: readonly LimitFinding[];
  /** How many tags were judged. */
  readonly judged: number;
  /** Whether any rule looks at a tag. */
  readonly hasRules: boolean;
}

/** What is open where nothing failed, and the growth to tell of beside: the unsure, whether or not it is open. */
export function findInconclusiveReasons(
  given: GateContext,
  { findings, limits, judged, hasRules }: GateResults,
): { readonly open: string[]; readonly noted: string[] } {
  const { doubts, others } = findUncertainGrowth(findings, given);
  const untested = judged > 0 || doubts.length > 0 ? [] : [explainNothingJudged(given.environment, hasRules)];
  return {
    open: [...doubts, ...untested, ...describeUnknownLimits(limits, given.config)],
    noted: [...doubts, ...others],
  };
}

function explainNothingJudged(environment: string, hasRules: boolean): string {
  if (hasRules) return "no tag has the testers that its rule takes";
  const where = formatEnvironment(environment);
  return `no tag could be judged${where}: nothing was found in either build, or all of it is off or allowed`;
}

/**
 * The tags that grew materially, are not allowed, and have too few testers for their rule: those that could have failed
 * the gate as doubts, and the others. Of introduced tags only more than `maxNew` could have failed it.
 */
function findUncertainGrowth(
  findings: readonly GateFinding[],
  { config, a, b }: GateContext,
): { readonly doubts: string[]; readonly others: string[] } {
  const unsure = findings.filter(
    ({ status, reason, found, expected }) =>
      status === "unsure" && reason === null && computeGrowth(found, a, b) > expected.maxIncreasePoints,
  );
  const isNew = ({ kind, level }: GateFinding) => kind === "introduced" && level === "error";
  const grownNew = findings.filter((one) => isNew(one) && ["failed", "warned"].includes(one.status));
  const lets = grownNew.length + unsure.filter(isNew).length <= (config.maxNew ?? 0);
  const couldFail = (one: GateFinding) => one.level === "error" && !(isNew(one) && lets);
  const told = (some: readonly GateFinding[]) => some.map((one) => describeTooFewTesters(one, a, b));
  return { doubts: told(unsure.filter(couldFail)), others: told(unsure.filter((one) => !couldFail(one))) };
}

/** A limit that would fail the gate, and of which nothing is known, lets nothing pass. */
function describeUnknownLimits(limits: readonly LimitFinding[], { limits: set = {} }: GateConfig): string[] {
  return limits
    .filter(({ name, status }) => status === "unknown" && set[name as keyof GateLimits]?.level !== "warn")
    .map(({ name }) => `${name} is not known`);
}

/** Where nothing can be concluded, nothing has failed or is warned of either. */
export function downgradeToInconclusive<T extends { readonly status: string }>(
  all: readonly T[],
  doubt: T["status"] | null,
): T[] {
  return all.map((one) =>
    doubt !== null && (one.status === "failed" || one.status === "warned") ? { ...one, status: doubt } : one,
  );
}
