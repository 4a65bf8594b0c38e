/** The digest of a comparison: what to do, how each variant did, what they share and how the mood moved. */
import type { ComparedVariant, Comparison, ConfidenceLabel, Digest } from "../../contract/experiments.ts";
import type { ProviderSettings } from "../analysis/provider/faults.ts";
import type { Db, ExperimentDigestRow } from "../db/schema.ts";
import { type Questions, tagWords } from "../insights/tag-words.ts";
import { counted, joined } from "../insights/wording.ts";
import { type Compared, compareVariants, type Mood } from "./comparison.ts";
import { digestByModel } from "./model-digest.ts";
import { type AudiencedExperiment, replaceDigest } from "./queries.ts";
import { fewestPlayers, recommendationOf } from "./recommendation.ts";
import { LEAST_PLAYERS } from "./statistics.ts";

/** Players a variant from which a result is more than a first hint. */
export const MEDIUM_PLAYERS = 100;
/** Players a variant from which a named leader is believed without reserve. */
export const HIGH_PLAYERS = 200;
/** A mood moved where its share of positive findings changed by as many points. */
const MOOD_POINTS = 10;

/** A digest as it is written here. */
interface WrittenDigest extends Digest {
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
  experiment: AudiencedExperiment,
  now: number,
  provider: ProviderSettings | null = null,
): Promise<WrittenDigest> {
  const digest = await writeDigest(await compareVariants(db, experiment, now), provider);
  await keepDigest(db, experiment, digest);
  return digest;
}

/**
 * The digest of a comparison, with the model's words behind the rules' where one is set. `degraded` says that it was
 * asked and gave nothing that holds. Throws ModelStopped once `stop` fires.
 */
export async function writeDigest(
  compared: Compared,
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
export async function keepDigest(
  db: Db,
  { game_id, id }: Pick<AudiencedExperiment, "game_id" | "id">,
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
export function digestByRules({ comparison, moods, questions, decided }: Compared): {
  confidenceLabel: ConfidenceLabel;
  digest: Digest["digest"];
} {
  const confidenceLabel = confidenceOf(comparison);
  return {
    confidenceLabel,
    digest: {
      recommendation: recommendationOf(comparison, decided, confidenceLabel),
      perVariant: comparison.variants.map((variant) => ({
        key: variant.key,
        headline: headlineOf(variant, questions),
      })),
      sharedThemes: sharedThemesOf(comparison.variants).map((tag) => tagWords(tag, questions).theme),
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

const percent = (share: number) => `${Math.round(share * 100)} %`;

function headlineOf(variant: ComparedVariant, questions: Questions): string {
  const { playerCount, sessionCount, retention, topFriction, topPraise } = variant;
  if (sessionCount === 0) return "Nobody has played it yet.";
  const returned = retention.filter(({ eligible }) => eligible > 0);
  const back = returned.map(({ day, rate }) => `${percent(rate)} on day ${day}`);
  const parts = [
    `${counted(playerCount ?? 0, "player")} in ${counted(sessionCount, "session")}`,
    ...(back.length > 0 ? [`came back: ${joined(back)}`] : []),
    `${Math.round(variant.engagementPct)} % of the time was active`,
    ...(variant.crashRate > 0 ? [`${percent(variant.crashRate)} of sessions crashed`] : []),
    ...(topFriction[0] ? [`most friction: ${tagWords(topFriction[0].tag, questions).theme}`] : []),
    ...(topPraise[0] ? [`most praise: ${tagWords(topPraise[0].tag, questions).theme}`] : []),
  ];
  return `${parts.join("; ")}.`;
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
    if (to === null) return `in ${mood.key} nothing was found`;
    const points = Math.round((to - from) * 100);
    if (Math.abs(points) < MOOD_POINTS) return `${mood.key} is about the same`;
    const direction = points > 0 ? "more positive" : "more negative";
    return `${mood.key} is ${direction} by ${counted(Math.abs(points), "point")}`;
  });
  return `In ${baseline.key}, ${percent(from)} of the findings are positive; ${shifts.join("; ")}.`;
}

function positiveShare({ positive, negative }: Mood): number | null {
  return positive + negative > 0 ? positive / (positive + negative) : null;
}
