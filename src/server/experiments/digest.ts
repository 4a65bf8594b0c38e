/** The digest of a comparison by rules: what to do, how each variant did, what they share and how the mood moved. */
import type {
  ComparedVariant,
  Comparison,
  ConfidenceLabel,
  Difference,
  Digest,
} from "../../contract/experiments.ts";
import { counted } from "../analysis/rules/wording.ts";
import type { Db, ExperimentDigestRow } from "../db/schema.ts";
import { type AudiencedExperiment, replaceDigest } from "../queries/experiments.ts";
import { type Compared, compareVariants, type Mood } from "./comparison.ts";
import { LEAST_PLAYERS } from "./statistics.ts";

/** Players a variant from which a result is more than a first hint. */
export const MEDIUM_PLAYERS = 100;
/** Players a variant from which a named leader is believed without reserve. */
export const HIGH_PLAYERS = 200;
/** A mood moved where its share of positive findings changed by as many points. */
const MOOD_POINTS = 10;

/** Writes an experiment's digest anew. `degraded` says that a provider was asked for it and failed. */
export async function generateDigest(
  db: Db,
  experiment: AudiencedExperiment,
  now: number,
  status: ExperimentDigestRow["status"] = "ok",
): Promise<Digest> {
  const compared = await compareVariants(db, experiment, now);
  const { confidenceLabel, digest } = digestByRules(compared);
  const key = { game_id: experiment.game_id, experiment_id: experiment.id };
  await replaceDigest(db, {
    ...key,
    status,
    confidence_label: confidenceLabel,
    digest: JSON.stringify(digest),
    generated_at: now,
  });
  return { status, confidenceLabel, generatedAt: now, digest };
}

/** What the numbers say, in words. */
export function digestByRules({ comparison, moods }: Compared): {
  confidenceLabel: ConfidenceLabel;
  digest: Digest["digest"];
} {
  const confidenceLabel = confidenceOf(comparison);
  return {
    confidenceLabel,
    digest: {
      recommendation: recommendationOf(comparison, confidenceLabel),
      perVariant: comparison.variants.map((variant) => ({ key: variant.key, headline: headlineOf(variant) })),
      sharedThemes: sharedThemesOf(comparison.variants),
      sentimentShift: sentimentShiftOf(moods),
    },
  };
}

/** How far the comparison can be believed: by its smallest variant, its leader and the health of the assignment. */
export function confidenceOf(comparison: Comparison): ConfidenceLabel {
  const fewest = fewestPlayers(comparison);
  if (fewest < LEAST_PLAYERS || comparison.sampleRatio?.warning) return "insufficient";
  if (fewest < MEDIUM_PLAYERS || comparison.crossovers?.warning) return "low";
  return comparison.leader != null && fewest >= HIGH_PLAYERS ? "high" : "medium";
}

function fewestPlayers({ variants }: Comparison): number {
  return Math.min(...variants.map(({ playerCount }) => playerCount ?? 0));
}

function recommendationOf(comparison: Comparison, confidence: ConfidenceLabel): string {
  const { sampleRatio, leader } = comparison;
  if (sampleRatio?.warning) {
    return (
      `Do not read the result yet: the players are not divided as allocated (p = ${sampleRatio.pValue.toPrecision(2)}). ` +
      "Find out where players are lost or assigned twice first."
    );
  }
  if (confidence === "insufficient") {
    return `Keep it running: the smallest variant has ${fewestPlayers(comparison)} of the ${LEAST_PLAYERS} players it takes to judge.`;
  }
  if (leader != null) {
    const name = comparison.variants.find(({ key }) => key === leader)?.name ?? leader;
    return `Ship ${name}: more of its players come back the next day, and its sessions do not crash more.`;
  }
  const differences = (comparison.differences ?? []).filter(({ significant }) => significant);
  if (differences.length === 0) return "Keep it running: no difference is certain yet.";
  return `No variant leads, but these differences are certain: ${differences.map(wordsOf).join("; ")}.`;
}

function wordsOf({ metric, variant, baseline, delta }: Difference): string {
  const points = Math.abs(delta * 100).toFixed(1);
  return `${metric} of ${variant} is ${points} points ${delta > 0 ? "above" : "below"} ${baseline}`;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

function headlineOf(variant: ComparedVariant): string {
  const { playerCount, sessionCount, retention, topFriction, topPraise } = variant;
  if (sessionCount === 0) return "Nobody has played it yet.";
  const returned = retention.filter(({ eligible }) => eligible > 0);
  const back = returned.map(({ day, rate }) => `${percent(rate)} back on day ${day}`);
  const parts = [
    `${counted(playerCount ?? 0, "player")} in ${counted(sessionCount, "session")}`,
    ...back,
    `${Math.round(variant.engagementPct)} % engaged`,
    ...(variant.crashRate > 0 ? [`${percent(variant.crashRate)} of sessions crashed`] : []),
    ...(topFriction[0] ? [`most friction: ${topFriction[0].tag}`] : []),
    ...(topPraise[0] ? [`most praise: ${topPraise[0].tag}`] : []),
  ];
  return `${parts.join(", ")}.`;
}

/** The tags that are among the top ones of every variant, in the first one's order. */
function sharedThemesOf(variants: readonly ComparedVariant[]): string[] {
  const tags = variants.map(({ topFriction, topPraise }) =>
    [...topFriction, ...topPraise].map(({ tag }) => tag),
  );
  const [first = [], ...others] = tags;
  return [...new Set(first)].filter((tag) => others.every((other) => other.includes(tag)));
}

/** How each variant's share of positive findings, of those that are positive or negative, moved from the first's. */
export function sentimentShiftOf(moods: readonly Mood[]): string {
  const [baseline, ...others] = moods;
  const from = baseline ? positiveShare(baseline) : null;
  if (!baseline || from === null)
    return "Nothing was found in the baseline's sessions, so no shift can be told.";
  const shifts = others.map((mood) => {
    const to = positiveShare(mood);
    if (to === null) return `nothing was found in ${mood.key}`;
    const points = Math.round((to - from) * 100);
    if (Math.abs(points) < MOOD_POINTS) return `${mood.key} feels like ${baseline.key}`;
    const direction = points > 0 ? "more positive" : "more negative";
    return `${mood.key} is ${direction} than ${baseline.key} by ${Math.abs(points)} points`;
  });
  return `${baseline.key} is ${percent(from)} positive; ${shifts.join("; ")}.`;
}

function positiveShare({ positive, negative }: Mood): number | null {
  return positive + negative > 0 ? positive / (positive + negative) : null;
}
