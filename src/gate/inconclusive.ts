/** Decides when the gate is inconclusive: too few testers, no compared tags, rules that need more testers, or unknown limits. */

import { findNoticedTesters, type TestedFamily } from "../statistics/power.ts";
import type { GateBuild } from "./build-comparison.ts";
import { DEFAULT_CONFIDENCE, DEFAULT_MIN_TESTERS, type GateConfig, type GateRules } from "./config.ts";
import type { GateInput } from "./judge-tags.ts";
import type { GateLimits } from "./limits-config.ts";
import { describeTooFewTesters, isUnanswered } from "./reasons.ts";
import type { JudgedPlay } from "./tag-counts.ts";
import type { GateDetection, GateFinding, LimitFinding } from "./verdict.ts";

interface GateContext {
  readonly config: GateRules;
  readonly environment: string;
  readonly a: GateBuild;
  readonly b: GateBuild;
}

/** The minimum number of testers in each build. A rule for a kind or tag can require more for its own tags. */
export const requiredTesters = ({ minTesters = DEFAULT_MIN_TESTERS }: GateConfig) => minTesters;

/** Reasons why the builds have too few testers for any result; empty if they have enough. */
export function explainTooFewTesters(
  { config, a, b, environment, level: ownLevel = 1 }: GateContext & Pick<GateInput, "level">,
  play: JudgedPlay,
  checked: TestedFamily | null,
): string[] {
  const { testersA, testersB, matched } = play;
  const sides = [
    { version: a.version, testers: testersA, anonymous: matched?.a.anonymousSessions ?? 0 },
    { version: b.version, testers: testersB, anonymous: matched?.b.anonymousSessions ?? 0 },
  ];
  const required = requiredTesters(config);
  const reasons = sides
    .filter(({ testers }) => testers < Math.max(1, required))
    .map((side) => describeMissingTesters(side, formatEnvironment(environment), required));
  if (reasons.length > 0) return reasons;
  // The confidence of a kind or tag does not make all others inconclusive.
  const level = Math.min(ownLevel, 1 - (config.confidence ?? DEFAULT_CONFIDENCE));
  if (checked === null || findNoticedTesters({ ...checked, level }) !== null) return [];
  return [
    `${testersA} and ${testersB} testers are not enough: even a tag that affects all testers of ${b.version} and none of ${a.version} would not be statistically significant${describeCorrection(checked)}`,
  ];
}

interface TesterCount {
  readonly version: string;
  readonly testers: number;
  /** Sessions without a device id. */
  readonly anonymous: number;
}

function describeMissingTesters(
  { version, testers, anonymous }: TesterCount,
  where: string,
  required: number,
): string {
  const withId = anonymous === 0 ? "" : " with a device ID";
  const others =
    anonymous === 0
      ? ""
      : ` (${anonymous} ${anonymous === 1 ? "session has" : "sessions have"} no device ID, so their testers cannot be counted)`;
  if (testers === 0) return `build ${version} has no testers${withId}${where}${others}`;
  const count = `${testers} ${testers === 1 ? "tester" : "testers"}`;
  return `build ${version} has ${count}${withId}${where}; at least ${required} are required${others}`;
}

const describeCorrection = ({ tables }: TestedFamily) =>
  tables.length <= 1 ? "" : ` among ${tables.length} checked tags`;

const formatEnvironment = (environment: string) => (environment === "all" ? "" : ` in ${environment}`);

/** The results for builds with enough testers. */
interface GateResults {
  readonly findings: readonly GateFinding[];
  readonly limits: readonly LimitFinding[];
  /** Number of compared tags. */
  readonly judged: number;
  /** Whether any tag has a rule that is not off. */
  readonly hasRules: boolean;
  readonly detection: GateDetection | null;
  /** Tags in rooms that too few testers entered. */
  readonly rarelyEntered: readonly string[];
}

/**
 * `inconclusive`: reasons why the gate cannot pass if nothing failed. `notes`: all increases of tags with too few testers
 * for their rule, whether or not they are among these reasons.
 */
export function findInconclusiveReasons(
  context: GateContext & Pick<GateInput, "level"> & { readonly play: JudgedPlay },
  { findings, limits, judged, hasRules, detection, rarelyEntered }: GateResults,
): { readonly inconclusive: string[]; readonly notes: string[] } {
  const { couldFail, others } = findUncertainIncreases(findings, context);
  const unchecked =
    judged > 0 || couldFail.length > 0 ? [] : [explainNothingChecked(context.environment, hasRules)];
  return {
    inconclusive: [
      ...couldFail,
      ...unchecked,
      ...(unchecked.length > 0 ? [] : describeInsensitivity(context, detection)),
      ...rarelyEntered,
      ...describeUnknownLimits(limits, context.config),
    ],
    notes: [...couldFail, ...others],
  };
}

/** The gate cannot pass if it would probably miss a new tag that affects `detectPoints` percent of testers. */
function describeInsensitivity(
  { b, play, level }: GateContext & Pick<GateInput, "level"> & { readonly play: JudgedPlay },
  detection: GateDetection | null,
): string[] {
  if (detection === null || detection.sufficient) return [];
  const { testersB, detectPoints, power, enoughTesters, enoughTestersB } = detection;
  const needed = testersB === null ? "" : `: it must affect ${testersB} of ${play.testersB} to be noticed`;
  // In repeated runs, the next test is due with a planned number of testers.
  const more =
    level !== undefined
      ? ""
      : enoughTestersB === null
        ? enoughTesters === null
          ? ""
          : `. ${enoughTesters} testers of each build would be enough`
        : `. ${enoughTestersB} testers of ${b.version} (${enoughTestersB - play.testersB} more) would be enough${enoughTesters === null ? "" : `, or ${enoughTesters} testers of each build`}`;
  return [
    `with ${play.testersA} and ${play.testersB} testers, the probability of noticing a new problem that affects ${detectPoints}% of testers is only ${Math.round(power * 100)}%${needed}${more}`,
  ];
}

function explainNothingChecked(environment: string, hasRules: boolean): string {
  if (hasRules) return "every tag needs more testers for its rule than these builds have";
  const where = formatEnvironment(environment);
  return `no tags to compare${where}: neither build has friction, or every tag is turned off, allowed, or about a question that nobody in one of the builds answered`;
}

/**
 * Describes the tags that increased by more than their limit, are not allowed, and have too few testers for their rule:
 * those that could have failed the gate, and the others. Up to `maxNew` introduced tags cannot fail it.
 */
function findUncertainIncreases(
  findings: readonly GateFinding[],
  { config, play }: GateContext & { readonly play: JudgedPlay },
): { readonly couldFail: string[]; readonly others: string[] } {
  const uncertain = findings.filter(
    ({ status, reason, found, expected }) =>
      status === "unsure" &&
      reason === null &&
      !isUnanswered({ found }) &&
      (found.judged?.deltaPct ?? found.deltaPct) > expected.maxIncreasePoints,
  );
  const isNew = ({ kind, found, level }: GateFinding) =>
    (found.judged?.kind ?? kind) === "introduced" && level === "error";
  const certainNew = findings.filter(
    (finding) => isNew(finding) && ["failed", "warned"].includes(finding.status),
  );
  const withinMaxNew = certainNew.length + uncertain.filter(isNew).length <= (config.maxNew ?? 0);
  const canFail = (finding: GateFinding) => finding.level === "error" && !(isNew(finding) && withinMaxNew);
  const describe = (all: readonly GateFinding[]) =>
    all.map((finding) => describeTooFewTesters(finding, play));
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

/** Replaces the status of failures and warnings: with too few testers, nothing fails or warns. */
export const withUnsureFindings = (findings: readonly GateFinding[]): GateFinding[] =>
  findings.map((finding) => (isCounted(finding) ? { ...finding, status: "unsure" } : finding));

/** Limits with failures and warnings replaced by the reason why they were not checked. */
export const withUncheckedLimits = (limits: readonly LimitFinding[], reason: string): LimitFinding[] =>
  limits.map((limit) => (isCounted(limit) ? { ...limit, status: "unknown", reason } : limit));

const isCounted = ({ status }: { readonly status: string }) => status === "failed" || status === "warned";
