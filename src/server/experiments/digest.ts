/** The digest of a comparison: what to do, how each variant did, what they share and how the mood moved. */
import type {
  ComparedVariant,
  ConfidenceLabel,
  ExperimentDigest,
  VariantComparison,
} from "../../contract/experiments.ts";
import type { ProviderSettings } from "../analysis/provider/faults.ts";
import type { Db, ExperimentDigestRow } from "../db/schema.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";
import { formatCount, joinWithAnd } from "../insights/wording.ts";
import { type ComparisonResult, compareVariants, type VariantSentiment } from "./comparison.ts";
import { digestByModel } from "./model-digest.ts";
import { type ExperimentWithAudience, replaceDigest } from "./queries.ts";
import { fewestPlayers, writeRecommendation } from "./recommendation.ts";
import { MIN_PLAYERS } from "./statistics.ts";

/** Players a variant from which a result is more than a first hint. */
export const MIN_MEDIUM_PLAYERS = 100;
/** Players a variant from which a named leader is believed without reserve. */
export const MIN_HIGH_PLAYERS = 200;
/** A mood moved where its share of positive findings changed by as many points. */
const MIN_SHIFT_POINTS = 10;

/** A digest as it is written here. */
interface WrittenDigest extends ExperimentDigest {
  readonly status: ExperimentDigestRow["status"];
  readonly confidenceLabel: ConfidenceLabel;
  readonly generatedAt: number;
}

/**
 * Writes an experiment's digest anew. A model is asked between reading and writing: `db` is no transaction then. Throws
 * ModelStopped.
 */
export async function generateDigest(
  db: Db,
  experiment: ExperimentWithAudience,
  now: number,
  provider: ProviderSettings | null = null,
): Promise<WrittenDigest> {
  const digest = await writeDigest(await compareVariants(db, experiment, now), provider);
  await storeDigest(db, experiment, digest);
  return digest;
}

/**
 * The digest of a comparison, with the model's words behind the rules' where one is set. `degraded` says that it was
 * asked and gave nothing that holds. Throws ModelStopped once `stop` fires.
 */
export async function writeDigest(
  compared: ComparisonResult,
  provider: ProviderSettings | null,
  stop?: AbortSignal,
): Promise<WrittenDigest> {
  const { generatedAt } = compared.comparison;
  const byRules = { status: "ok" as const, generatedAt, ...digestByRules(compared) };
  if (provider === null) return byRules;
  const digest = await digestByModel(provider, compared, byRules.digest, stop);
  return digest === null ? { ...byRules, status: "degraded" } : { ...byRules, digest };
}

/** Keeps a digest beside its experiment. */
export async function storeDigest(
  db: Db,
  { game_id, id }: Pick<ExperimentWithAudience, "game_id" | "id">,
  { status, confidenceLabel, generatedAt, digest }: WrittenDigest,
): Promise<void> {
  await replaceDigest(db, {
    game_id,
    experiment_id: id,
    status,
    confidence_label: confidenceLabel,
    digest: JSON.stringify(digest),
    generated_at: generatedAt,
  });
}

/** What the numbers say, in words. */
export function digestByRules({
  comparison,
  sentiments: moods,
  questions,
  decision: decided,
}: ComparisonResult): {
  confidenceLabel: ConfidenceLabel;
  digest: ExperimentDigest["digest"];
} {
  const confidenceLabel = rateConfidence(comparison);
  return {
    confidenceLabel,
    digest: {
      recommendation: writeRecommendation(comparison, decided, confidenceLabel),
      perVariant: comparison.variants.map((variant) => ({
        key: variant.key,
        headline: writeHeadline(variant, questions),
      })),
      sharedThemes: findSharedTags(comparison.variants).map((tag) => describeTag(tag, questions).theme),
      sentimentShift: describeSentimentShift(moods),
    },
  };
}

/** How far the comparison can be believed: by its smallest variant, its leader and the health of the assignment. */
export function rateConfidence(comparison: VariantComparison): ConfidenceLabel {
  const fewest = fewestPlayers(comparison);
  if (fewest < MIN_PLAYERS || comparison.sampleRatio?.warning) return "insufficient";
  if (fewest < MIN_MEDIUM_PLAYERS || comparison.crossovers?.warning) return "low";
  return comparison.leader != null && fewest >= MIN_HIGH_PLAYERS ? "high" : "medium";
}

const formatPercent = (share: number) => `${Math.round(share * 100)} %`;

function writeHeadline(variant: ComparedVariant, questions: QuestionsByTag): string {
  const { playerCount, sessionCount, retention, topFriction, topPraise } = variant;
  if (sessionCount === 0) return "Nobody has played it yet.";
  const returned = retention.filter(({ eligible }) => eligible > 0);
  const back = returned.map(({ day, rate }) => `${formatPercent(rate)} on day ${day}`);
  const parts = [
    `${formatCount(playerCount ?? 0, "player")} in ${formatCount(sessionCount, "session")}`,
    ...(back.length > 0 ? [`came back: ${joinWithAnd(back)}`] : []),
    `${Math.round(variant.engagementPct)} % of the time was active`,
    ...(variant.crashRate > 0 ? [`${formatPercent(variant.crashRate)} of sessions crashed`] : []),
    ...(topFriction[0] ? [`most friction: ${describeTag(topFriction[0].tag, questions).theme}`] : []),
    ...(topPraise[0] ? [`most praise: ${describeTag(topPraise[0].tag, questions).theme}`] : []),
  ];
  return `${parts.join("; ")}.`;
}

/** The tags that are among the top ones of every variant, in the first one's order. */
function findSharedTags(variants: readonly ComparedVariant[]): string[] {
  const tags = variants.map(({ topFriction, topPraise }) =>
    [...topFriction, ...topPraise].map(({ tag }) => tag),
  );
  const [first = [], ...others] = tags;
  return [...new Set(first)].filter((tag) => others.every((other) => other.includes(tag)));
}

/** How each variant's share of positive findings, of those that are positive or negative, moved from the first's. */
export function describeSentimentShift(moods: readonly VariantSentiment[]): string {
  const [baseline, ...others] = moods;
  const from = baseline ? positiveShare(baseline) : null;
  if (!baseline || from === null)
    return "Nothing was found in the baseline's sessions, so no shift can be told.";
  const shifts = others.map((mood) => {
    const to = positiveShare(mood);
    if (to === null) return `in ${mood.key} nothing was found`;
    const points = Math.round((to - from) * 100);
    if (Math.abs(points) < MIN_SHIFT_POINTS) return `${mood.key} is about the same`;
    const direction = points > 0 ? "more positive" : "more negative";
    return `${mood.key} is ${direction} by ${formatCount(Math.abs(points), "point")}`;
  });
  return `In ${baseline.key}, ${formatPercent(from)} of the findings are positive; ${shifts.join("; ")}.`;
}

function positiveShare({ positive, negative }: VariantSentiment): number | null {
  return positive + negative > 0 ? positive / (positive + negative) : null;
}
