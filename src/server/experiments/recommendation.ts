/** The recommendation of a digest, based on the comparison and on what was already decided. */
import type {
  ConfidenceLabel,
  Experiment,
  ExperimentMetric,
  Lead,
  VariantComparison,
  VariantDifference,
} from "../../contract/experiments.ts";
import { ALPHA, MIN_PLAYERS } from "../../statistics/confidence-sequence.ts";
import { formatCount } from "../insights/wording.ts";

/** The day of the retention that decides. */
const PRIMARY_DAY = 1;

/** The decisions made about an experiment so far. */
export interface ExperimentDecision {
  readonly status: Experiment["status"];
  /** Null if no winner was declared. */
  readonly winnerVariantKey: string | null;
}

/** The number of eligible players for day 1 retention, which decides, in the variant with the fewest. */
export function fewestEligible({ variants }: VariantComparison): number {
  return Math.min(
    ...variants.map(({ retention }) => retention.find(({ day }) => day === PRIMARY_DAY)?.eligible ?? 0),
  );
}

/** Writes the recommendation. If a winner was already declared, it is checked against the comparison instead. */
export function writeRecommendation(
  comparison: VariantComparison,
  { status, winnerVariantKey }: ExperimentDecision,
  confidence: ConfidenceLabel,
): string {
  const blocker = findBlocker(comparison, confidence);
  if (winnerVariantKey !== null) return judgeWinner(comparison, winnerVariantKey, blocker);
  if (status === "draft") return "Start the experiment. No device is assigned to a variant until then.";
  if (comparison.sampleRatio?.warning) {
    return `Do not use the results yet: ${blocker}. First find out where players are lost or assigned twice.`;
  }
  if (blocker === null && comparison.lead) return recommendLead(comparison, comparison.lead, status);
  const differences = describeSignificantDifferences(comparison);
  if (blocker === null && differences.length > 0) return reportDifferences(differences);
  return status === "stopped"
    ? `The experiment was stopped without a result: ${blocker ?? NO_DIFFERENCE}. Resume it if you still need an answer.`
    : `Keep the experiment running: ${blocker ?? `${NO_DIFFERENCE} yet`}.`;
}

const NO_DIFFERENCE = "no difference is statistically significant";

const reportDifferences = (differences: readonly string[]) =>
  `No variant leads, but these differences are statistically significant after a correction for the number of metrics: ${differences.join("; ")}.`;

/** Why the comparison cannot be used yet; null if it can. */
function findBlocker(comparison: VariantComparison, confidence: ConfidenceLabel): string | null {
  const { sampleRatio } = comparison;
  if (sampleRatio?.warning)
    return `players are not distributed as allocated (p = ${sampleRatio.pValue.toPrecision(2)})`;
  if (confidence !== "insufficient") return null;
  const fewest = fewestEligible(comparison);
  return `the smallest variant has ${formatCount(fewest, "player")} who joined at least ${PRIMARY_DAY + 1} days ago; at least ${MIN_PLAYERS} are required`;
}

/** What to do about a variant that is ahead. */
function recommendLead(
  comparison: VariantComparison,
  lead: Lead,
  status: ExperimentDecision["status"],
): string {
  const name = findVariantName(comparison, lead.variant);
  const reasons = `${describeLead(comparison, lead)}${describeEarlyLead(lead)}`;
  if (lead.guardrail.status === "safe") return `Ship ${name}: ${reasons}`;
  if (lead.guardrail.status === "worse") return `Do not ship ${name} yet, although it is ahead: ${reasons}`;
  const next =
    status === "stopped"
      ? "Resume the experiment before you ship"
      : "Keep the experiment running before you ship";
  return `${next} ${name}, which is ahead: ${reasons}`;
}

/** The primary difference and the guardrail as a clause, with a period. */
function describeLead(
  comparison: VariantComparison,
  { over, metric, delta, interval, guardrail }: Lead,
): string {
  const { low, high } = interval;
  const gain = `${nameMetric(metric)} is ${formatPoints(delta)} percentage points higher (${describeInterval(comparison)}: ${formatPoints(low)} to ${formatPoints(high)}) than in ${findVariantName(comparison, over)}`;
  const bound = `${formatPoints(guardrail.upperBound)} percentage points higher`;
  const limit = `(limit: ${formatPoints(guardrail.margin)})`;
  const guardName = nameMetric(guardrail.metric);
  if (guardrail.status === "safe") return `${gain}, and ${guardName} is at most ${bound} ${limit}.`;
  if (guardrail.status === "worse")
    return `${gain}, but ${guardName} is significantly higher, by up to ${bound.replace(" higher", "")} ${limit}.`;
  return `${gain}, but it is not known whether its sessions crash more often: ${guardName} could still be up to ${bound}, and less than ${formatPoints(guardrail.margin)} is required.`;
}

/** With more than two variants, the interval of a lead is wider than those of the differences. */
const describeInterval = ({ variants }: VariantComparison) =>
  variants.length > 2 ? "interval, corrected for the number of variants" : "interval";

/**
 * Warns of the winner's curse: Bassler et al., "Stopping randomized trials early for benefit and estimation of treatment
 * effects", JAMA 303 (2010); Gelman and Carlin, "Beyond power calculations", Perspectives on Psychological Science 9
 * (2014). The lower end of the interval remains valid.
 */
function describeEarlyLead({ early, interval }: Lead): string {
  if (!early) return "";
  return ` The experiment does not have the players that it needs yet, and differences that are found early are too large on average. Plan with the lower end of the interval, ${formatPoints(interval.low)} percentage points.`;
}

/** Reports whether the comparison confirms the declared winner. */
function judgeWinner(comparison: VariantComparison, winner: string, blocker: string | null): string {
  const declared = `${sentenceCase(findVariantName(comparison, winner))} was declared the winner`;
  const { lead } = comparison;
  if (blocker !== null) return `${declared}, but the data cannot confirm it: ${blocker}.`;
  if (lead) {
    const reasons = `${describeLead(comparison, lead)}${describeEarlyLead(lead)}`;
    if (lead.variant !== winner)
      return `${declared}, but ${findVariantName(comparison, lead.variant)} is ahead: ${reasons}`;
    return lead.guardrail.status === "safe"
      ? `${declared}, and the data confirms it: ${reasons}`
      : `${declared}. It is ahead, but the data does not confirm it: ${reasons}`;
  }
  const differences = describeSignificantDifferences(comparison);
  if (differences.length === 0) return `${declared}, but the data does not confirm it: ${NO_DIFFERENCE}.`;
  return `${declared}. ${reportDifferences(differences)}`;
}

const sentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The key of a variant, and its name if it has one: `variant lit (“Lit bridge”)`. */
function findVariantName({ variants }: VariantComparison, variantKey: string): string {
  const name = variants.find(({ key }) => key === variantKey)?.name ?? variantKey;
  return name === variantKey ? `variant ${variantKey}` : `variant ${variantKey} (“${name}”)`;
}

/** Differences that are significant after the correction for the number of metrics. */
function describeSignificantDifferences({ differences }: VariantComparison): string[] {
  return (differences ?? [])
    .filter(({ adjustedPValue }) => (adjustedPValue ?? 1) <= ALPHA)
    .map(describeDifference);
}

const metricNames: Readonly<Record<string, string>> = {
  "retention-1": "day 1 retention",
  "retention-2": "day 2 retention",
  "retention-7": "day 7 retention",
  "crash-rate": "the crash rate",
  engagement: "the engagement rate",
} satisfies Record<ExperimentMetric, string>;

const nameMetric = (metric: string) => metricNames[metric] ?? metric;

const formatPoints = (share: number) => (share * 100).toFixed(1);

function describeDifference({ metric, variant, baseline, delta, interval }: VariantDifference): string {
  const direction = delta > 0 ? "higher" : "lower";
  const range = interval
    ? ` (difference: ${formatPoints(delta)}, 95% interval: ${formatPoints(interval.low)} to ${formatPoints(interval.high)})`
    : "";
  return `${nameMetric(metric)} is ${formatPoints(Math.abs(delta))} percentage points ${direction} in ${variant} than in ${baseline}${range}`;
}
