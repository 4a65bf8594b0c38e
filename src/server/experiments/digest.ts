/** The digest of a comparison: a recommendation, a headline per variant, shared themes and the sentiment shift. */
import type {
  ComparedVariant,
  ConfidenceLabel,
  ExperimentDigest,
  VariantComparison,
} from "../../contract/experiments.ts";
import { formatCount } from "../../shared/words.ts";
import { MIN_PLAYERS } from "../../statistics/confidence-sequence.ts";
import type { ProviderSettings } from "../analysis/provider/faults.ts";
import { putRow } from "../db/rows.ts";
import type { Db, ExperimentDigestRow } from "../db/schema.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";
import { joinWithAnd } from "../insights/wording.ts";
import { type ComparisonResult, compareVariants, type VariantSentiment } from "./comparison.ts";
import type { ExperimentWithAudience } from "./experiment-queries.ts";
import { digestByModel } from "./model-digest.ts";
import { fewestEligible, writeRecommendation } from "./recommendation.ts";

/** Minimum eligible players per variant for medium confidence. */
const MIN_MEDIUM_PLAYERS = 100;
/** Minimum eligible players per variant for high confidence, if a variant leads. */
const MIN_HIGH_PLAYERS = 200;
/** Minimum difference in the share of positive insights, in percentage points, to report a shift. */
const MIN_SHIFT_POINTS = 10;

/** A digest without optional fields. */
interface WrittenDigest extends ExperimentDigest {
  readonly status: ExperimentDigestRow["status"];
  readonly confidenceLabel: ConfidenceLabel;
  readonly generatedAt: number;
}

/**
 * Generates and stores the digest of an experiment. With a `provider`, `db` must not be a transaction, because a model
 * is asked between reading and writing. Throws ModelStopped if the service stops.
 */
export async function generateDigest(
  db: Db,
  experiment: ExperimentWithAudience,
  now: number,
  provider: ProviderSettings | null = null,
): Promise<WrittenDigest> {
  const digest = await writeDigest(await compareVariants(db, experiment, { now }), provider);
  await storeDigest(db, experiment, digest);
  return digest;
}

/**
 * Writes the digest of a comparison. If there is a provider, the text of its model follows the text of the rules. The
 * status `degraded` means that the model failed or its response was rejected. Throws ModelStopped if `stop` fires.
 */
export async function writeDigest(
  result: ComparisonResult,
  provider: ProviderSettings | null,
  stop?: AbortSignal,
): Promise<WrittenDigest> {
  const { generatedAt } = result.comparison;
  const byRules = { status: "ok" as const, generatedAt, ...digestByRules(result) };
  if (provider === null) return byRules;
  const digest = await digestByModel(provider, result, byRules.digest, stop);
  return digest === null ? { ...byRules, status: "degraded" } : { ...byRules, digest };
}

/** Stores the digest of an experiment and replaces the previous one. */
export async function storeDigest(
  db: Db,
  { game_id, id }: Pick<ExperimentWithAudience, "game_id" | "id">,
  { status, confidenceLabel, generatedAt, digest }: WrittenDigest,
): Promise<void> {
  await putRow(db, "experiment_digests", {
    game_id,
    experiment_id: id,
    status,
    confidence_label: confidenceLabel,
    digest: JSON.stringify(digest),
    generated_at: generatedAt,
  });
}

/** Writes the digest from the numbers of the comparison. */
export function digestByRules({ comparison, sentiments, questions, decision }: ComparisonResult): {
  confidenceLabel: ConfidenceLabel;
  digest: ExperimentDigest["digest"];
} {
  const confidenceLabel = rateConfidence(comparison);
  return {
    confidenceLabel,
    digest: {
      recommendation: writeRecommendation(comparison, decision),
      perVariant: comparison.variants.map((variant) => ({
        key: variant.key,
        headline: writeHeadline(variant, questions),
      })),
      sharedThemes: findSharedTags(comparison.variants).map((tag) => describeTag(tag, questions).theme),
      sentimentShift: describeSentimentShift(sentiments),
    },
  };
}

/** Rates the confidence in a comparison by the eligible players of its smallest variant, its verdict, and problems with the assignment. */
export function rateConfidence(comparison: VariantComparison): ConfidenceLabel {
  const fewest = fewestEligible(comparison);
  if (fewest < MIN_PLAYERS || comparison.sampleRatio?.warning) return "insufficient";
  if (fewest < MIN_MEDIUM_PLAYERS || comparison.crossovers?.warning) return "low";
  return comparison.verdict?.decision === "ship" && fewest >= MIN_HIGH_PLAYERS ? "high" : "medium";
}

/** With one decimal, as the comparison shows shares. */
const formatPercent = (share: number) => `${(share * 100).toFixed(1)}%`;

/** Without decimals, for shares of few insights. */
const roundPercent = (share: number) => `${Math.round(share * 100)}%`;

function writeHeadline(variant: ComparedVariant, questions: QuestionsByTag): string {
  const { playerCount, sessionCount, retention, topFriction, topPraise } = variant;
  if (sessionCount === 0) return "No sessions yet.";
  const measured = retention.filter(({ eligible }) => eligible > 0);
  const rates = measured.map(({ day, rate }) => `${formatPercent(rate)} on day ${day}`);
  const parts = [
    `${formatCount(playerCount ?? 0, "player")} in ${formatCount(sessionCount, "session")}`,
    ...(rates.length > 0 ? [`retention: ${joinWithAnd(rates)}`] : []),
    `${formatPercent(variant.engagementPct / 100)} of play time was active`,
    ...(variant.crashRate > 0 ? [`${formatPercent(variant.crashRate)} of sessions crashed`] : []),
    ...(topFriction[0] ? [`top friction: ${describeTag(topFriction[0].tag, questions).theme}`] : []),
    ...(topPraise[0] ? [`top praise: ${describeTag(topPraise[0].tag, questions).theme}`] : []),
  ];
  return `${parts.join("; ")}.`;
}

/** The tags that are among the top tags of every variant, in the order of the first variant. */
function findSharedTags(variants: readonly ComparedVariant[]): string[] {
  const tags = variants.map(({ topFriction, topPraise }) =>
    [...topFriction, ...topPraise].map(({ tag }) => tag),
  );
  const [first = [], ...others] = tags;
  return [...new Set(first)].filter((tag) => others.every((other) => other.includes(tag)));
}

/** Compares the share of positive insights among the non-neutral ones with that of the first variant. */
export function describeSentimentShift(sentiments: readonly VariantSentiment[]): string {
  const [baseline, ...others] = sentiments;
  const from = baseline ? positiveShare(baseline) : null;
  if (!baseline || from === null)
    return "The baseline has no positive or negative insights, so sentiment cannot be compared.";
  const shifts = others.map((sentiment) => {
    const to = positiveShare(sentiment);
    if (to === null) return `none rated in ${sentiment.key}`;
    const points = Math.round((to - from) * 100);
    const share = `${roundPercent(to)} in ${sentiment.key}`;
    if (Math.abs(points) < MIN_SHIFT_POINTS) return `${share} (no clear difference)`;
    return `${share} (${formatCount(Math.abs(points), "percentage point")} ${points > 0 ? "higher" : "lower"})`;
  });
  const shares = [`${roundPercent(from)} in ${baseline.key}`, ...shifts];
  return `Share of positive insights, excluding neutral ones: ${shares.join("; ")}.`;
}

function positiveShare({ positive, negative }: VariantSentiment): number | null {
  return positive + negative > 0 ? positive / (positive + negative) : null;
}
