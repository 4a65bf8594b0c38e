/** The recommendation of a digest, based on the comparison and on what was already decided. */
import type {
  ConfidenceLabel,
  Experiment,
  ExperimentMetric,
  VariantComparison,
  VariantDifference,
} from "../../contract/experiments.ts";
import { formatCount } from "../insights/wording.ts";
import { MIN_PLAYERS } from "./statistics.ts";

/** The decisions made about an experiment so far. */
export interface ExperimentDecision {
  readonly status: Experiment["status"];
  /** Null if no winner was declared. */
  readonly winnerVariantKey: string | null;
}

/** The number of players in the smallest variant. */
export function fewestPlayers({ variants }: VariantComparison): number {
  return Math.min(...variants.map(({ playerCount }) => playerCount ?? 0));
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
  const { leader } = comparison;
  const differences = describeSignificantDifferences(comparison);
  if (comparison.sampleRatio?.warning) {
    return `Do not use the results yet: ${blocker}. First find out where players are lost or assigned twice.`;
  }
  if (blocker === null && leader != null)
    return `Ship ${findVariantName(comparison, leader)}: ${LEADER_REASON}.`;
  if (blocker === null && differences.length > 0) {
    return `No variant leads, but these differences are statistically significant: ${differences.join("; ")}.`;
  }
  return status === "stopped"
    ? `The experiment was stopped without a result: ${blocker ?? NO_DIFFERENCE}. Resume it if you still need an answer.`
    : `Keep the experiment running: ${blocker ?? `${NO_DIFFERENCE} yet`}.`;
}

const LEADER_REASON =
  "more of its players return on day 1, and its crash rate is not significantly higher than in other variants";
const NO_DIFFERENCE = "no difference is statistically significant";

/** Why the comparison cannot be used yet; null if it can. */
function findBlocker(comparison: VariantComparison, confidence: ConfidenceLabel): string | null {
  const { sampleRatio } = comparison;
  if (sampleRatio?.warning)
    return `players are not distributed as allocated (p = ${sampleRatio.pValue.toPrecision(2)})`;
  if (confidence !== "insufficient") return null;
  return `the smallest variant has ${formatCount(fewestPlayers(comparison), "player")}; at least ${MIN_PLAYERS} are required`;
}

/** Reports whether the comparison confirms the declared winner. */
function judgeWinner(comparison: VariantComparison, winner: string, blocker: string | null): string {
  const declared = `${sentenceCase(findVariantName(comparison, winner))} was declared the winner`;
  const { leader } = comparison;
  if (blocker !== null) return `${declared}, but the data cannot confirm it: ${blocker}.`;
  if (leader === winner) return `${declared}, and the data confirms it: ${LEADER_REASON}.`;
  if (leader != null)
    return `${declared}, but ${findVariantName(comparison, leader)} leads: ${LEADER_REASON}.`;
  const differences = describeSignificantDifferences(comparison);
  if (differences.length === 0) return `${declared}, but the data does not confirm it: ${NO_DIFFERENCE}.`;
  return `${declared}. No variant leads, but these differences are statistically significant: ${differences.join("; ")}.`;
}

const sentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The key of a variant, and its name if it has one: `variant lit (“Lit bridge”)`. */
function findVariantName({ variants }: VariantComparison, variantKey: string): string {
  const name = variants.find(({ key }) => key === variantKey)?.name ?? variantKey;
  return name === variantKey ? `variant ${variantKey}` : `variant ${variantKey} (“${name}”)`;
}

function describeSignificantDifferences({ differences }: VariantComparison): string[] {
  return (differences ?? []).filter(({ significant }) => significant).map(describeDifference);
}

const metricNames: Readonly<Record<string, string>> = {
  "retention-1": "day 1 retention",
  "retention-2": "day 2 retention",
  "retention-7": "day 7 retention",
  "crash-rate": "the crash rate",
  engagement: "the engagement rate",
} satisfies Record<ExperimentMetric, string>;

function describeDifference({ metric, variant, baseline, delta }: VariantDifference): string {
  const points = Math.abs(delta * 100).toFixed(1);
  const direction = delta > 0 ? "higher" : "lower";
  return `${metricNames[metric] ?? metric} is ${points} percentage points ${direction} in ${variant} than in ${baseline}`;
}
