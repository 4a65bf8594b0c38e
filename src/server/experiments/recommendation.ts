/** The recommendation of a digest: the verdict of the comparison in a sentence, and what was already decided. */
import type {
  Experiment,
  ExperimentVerdict,
  Interval,
  VariantComparison,
  VariantDifference,
} from "../../contract/experiments.ts";
import { ALPHA } from "../../statistics/confidence-sequence.ts";
import { joinWithAnd } from "../insights/wording.ts";

/** The decisions made about an experiment so far. */
export interface ExperimentDecision {
  readonly status: Experiment["status"];
  /** Null if no winner was declared. */
  readonly winnerVariantKey: string | null;
}

/** The number of eligible players for day 1 retention, which decides, in the variant with the fewest. */
export function fewestEligible({ variants }: VariantComparison): number {
  return Math.min(...variants.map(({ retention }) => retention.find(({ day }) => day === 1)?.eligible ?? 0));
}

/** Writes the recommendation. If a winner was already declared, it is checked against the verdict. */
export function writeRecommendation(
  comparison: VariantComparison,
  { status, winnerVariantKey }: ExperimentDecision,
): string {
  const { verdict } = comparison;
  if (status === "draft" && winnerVariantKey === null)
    return "Start the experiment. No device is assigned to a variant until then.";
  if (verdict == null) return "";
  const sentences = [
    ...(winnerVariantKey === null
      ? [describeVerdict(verdict)]
      : [judgeWinner(winnerVariantKey, verdict), describeVerdict(verdict)]),
    ...describeLead(verdict),
    ...describeDifferences(comparison),
  ];
  return sentences.map((sentence) => `${sentence}.`).join(" ");
}

/** The verdict with its reason, without a period: `Ship lanterns: lanterns leads, and nothing speaks against it`. */
export function describeVerdict({ decision, variant, reason }: ExperimentVerdict): string {
  const what = decision === "ship" && variant != null ? `ship ${variant}` : decision;
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}: ${reason}`;
}

const judgeWinner = (winner: string, { decision, variant }: ExperimentVerdict): string =>
  decision !== "keep running" && variant === winner
    ? `${winner} was declared the winner, and the data confirms it`
    : `${winner} was declared the winner, but the data does not confirm it`;

function describeLead({ lead }: ExperimentVerdict): string[] {
  if (lead == null) return [];
  const range = `${formatPoints(lead.interval.low)} to ${formatPoints(lead.interval.high)}`;
  return [
    `Day 1 retention is ${formatPoints(lead.delta)} percentage points higher than in ${lead.over} (range: ${range})`,
    ...(lead.early ? ["Leads that are found early are too large on average"] : []),
  ];
}

/** Differences in other metrics that are significant after the correction for their number. */
function describeDifferences({ differences }: VariantComparison): string[] {
  const found = (differences ?? []).filter(
    ({ role, adjustedPValue }) => role !== "primary" && (adjustedPValue ?? 1) <= ALPHA,
  );
  return found.length === 0 ? [] : [`Also significant: ${joinWithAnd(found.map(describeDifference))}`];
}

function describeDifference({ metric, variant, baseline, delta, interval }: VariantDifference): string {
  const range = (given: Interval) => ` (range: ${formatPoints(given.low)} to ${formatPoints(given.high)})`;
  return `${metric} is ${formatPoints(Math.abs(delta))} percentage points ${delta > 0 ? "higher" : "lower"} in ${variant} than in ${baseline}${interval ? range(interval) : ""}`;
}

const formatPoints = (share: number) => (share * 100).toFixed(1);
