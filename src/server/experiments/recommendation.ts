/** The recommendation of a digest: what to do, by what the numbers bear and by what was already decided. */
import type {
  ConfidenceLabel,
  Experiment,
  ExperimentMetric,
  VariantComparison,
  VariantDifference,
} from "../../contract/experiments.ts";
import { MIN_PLAYERS } from "./statistics.ts";

/** What was decided about an experiment. */
export interface ExperimentDecision {
  readonly status: Experiment["status"];
  /** Null while none was declared. */
  readonly winnerVariantKey: string | null;
}

/** The players of the smallest variant. */
export function fewestPlayers({ variants }: VariantComparison): number {
  return Math.min(...variants.map(({ playerCount }) => playerCount ?? 0));
}

/** What to do, in a sentence or two. What was decided is not advised again: a winner is held against the numbers. */
export function writeRecommendation(
  comparison: VariantComparison,
  { status, winnerVariantKey }: ExperimentDecision,
  confidence: ConfidenceLabel,
): string {
  const doubt = findDoubt(comparison, confidence);
  if (winnerVariantKey !== null) return judgeWinner(comparison, winnerVariantKey, doubt);
  if (status === "draft") return "Start it: until then no device is assigned to a variant.";
  const { leader } = comparison;
  const differences = describeCertainDifferences(comparison);
  if (comparison.sampleRatio?.warning) {
    return `Do not read the result yet: ${doubt}. Find out where players are lost or assigned twice first.`;
  }
  if (doubt === null && leader != null)
    return `Ship ${findVariantName(comparison, leader)}: ${LEADER_REASON}.`;
  if (doubt === null && differences.length > 0) {
    return `No variant leads, but these differences are certain: ${differences.join("; ")}.`;
  }
  return status === "stopped"
    ? `It was stopped without a result: ${doubt ?? "no difference is certain"}. Resume it if the answer still matters.`
    : `Keep it running: ${doubt ?? "no difference is certain yet"}.`;
}

const LEADER_REASON = "more of its players come back the next day, and its sessions do not crash more";

/** Why nothing can be judged; null where it can. */
function findDoubt(comparison: VariantComparison, confidence: ConfidenceLabel): string | null {
  const { sampleRatio } = comparison;
  if (sampleRatio?.warning)
    return `the players are not divided as allocated (p = ${sampleRatio.pValue.toPrecision(2)})`;
  if (confidence !== "insufficient") return null;
  return `the smallest variant has ${fewestPlayers(comparison)} of the ${MIN_PLAYERS} players it takes to judge`;
}

/** Whether the numbers bear out the winner that was declared. */
function judgeWinner(comparison: VariantComparison, winner: string, doubt: string | null): string {
  const declared = `${findVariantName(comparison, winner)} was declared the winner`;
  const { leader } = comparison;
  if (doubt !== null) return `${declared}; the numbers cannot bear that out: ${doubt}.`;
  if (leader === winner) return `${declared}, and the numbers bear that out: ${LEADER_REASON}.`;
  if (leader != null)
    return `${declared}, but ${findVariantName(comparison, leader)} leads: ${LEADER_REASON}.`;
  const differences = describeCertainDifferences(comparison);
  if (differences.length === 0)
    return `${declared}; the numbers do not bear that out: no difference is certain.`;
  return `${declared}; no variant leads, but these differences are certain: ${differences.join("; ")}.`;
}

function findVariantName({ variants }: VariantComparison, wanted: string): string {
  return variants.find(({ key }) => key === wanted)?.name ?? wanted;
}

function describeCertainDifferences({ differences }: VariantComparison): string[] {
  return (differences ?? []).filter(({ significant }) => significant).map(describeDifference);
}

const metricWords: Readonly<Record<string, string>> = {
  "retention-1": "the share of players back on day 1",
  "retention-2": "the share of players back on day 2",
  "retention-7": "the share of players back on day 7",
  "crash-rate": "the crash rate",
  engagement: "the active share of play time",
} satisfies Record<ExperimentMetric, string>;

function describeDifference({ metric, variant, baseline, delta }: VariantDifference): string {
  const points = Math.abs(delta * 100).toFixed(1);
  const above = delta > 0 ? "above" : "below";
  return `in ${variant}, ${metricWords[metric] ?? metric} is ${points} points ${above} that in ${baseline}`;
}
