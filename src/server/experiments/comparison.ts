/**
 * The comparison of an experiment's variants: retention, engagement, crashes, friction, quits, praise, significant differences
 * and the verdict.
 */
import type {
  ComparedVariant,
  InsightCluster,
  Interval,
  Variant,
  VariantComparison,
} from "../../contract/experiments.ts";
import { frictionTypes } from "../../contract/insights.ts";
import { addToGroup } from "../../shared/group-by.ts";
import { MINUTE_MS } from "../../shared/time-units.ts";
import { clusteredInterval, sumContributions } from "../../statistics/rates.ts";
import { checkSampleRatio } from "../../statistics/sample-ratio.ts";
import type { Db } from "../db/schema.ts";
import type { Task } from "../db/service.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import { requireGame } from "../games/game-queries.ts";
import type { QuestionsByTag } from "../insights/describe-tag.ts";
import { computeAllocationShares } from "./bucketing.ts";
import { type Cohorts, groupIntoCohorts, hasCrash, type Player } from "./cohorts.ts";
import { computeDifferences } from "./differences.ts";
import { type ExperimentWithAudience, parseVariants } from "./experiment-queries.ts";
import {
  type ExposedInsight,
  readExposedInsights,
  readExposedSessions,
  readSessionTimes,
} from "./exposure-queries.ts";
import { crashShares, engagementShares, estimateMetrics } from "./metrics.ts";
import { computeRetention, type DeviceSessionTimes } from "./player-retention.ts";
import { readQuotes } from "./quote-queries.ts";
import type { ExperimentDecision } from "./recommendation.ts";
import { scoreVariants } from "./variant-scorecards.ts";
import { decideVerdict } from "./verdict.ts";

/** Maximum number of clusters and quotes per variant. */
const MAX_LISTED = 5;

/** Counts of insights by sentiment in a variant, without session summaries. */
export interface VariantSentiment {
  readonly key: string;
  readonly positive: number;
  readonly negative: number;
  readonly insights: number;
}

/** A comparison, and the other inputs of the digest. */
export interface ComparisonResult {
  readonly comparison: VariantComparison;
  readonly sentiments: VariantSentiment[];
  /** Labels of the game's form fields, for describing tags. */
  readonly questions: QuestionsByTag;
  readonly decision: ExperimentDecision;
}

interface ComparisonOptions {
  /** Unix ms. */
  readonly now: number;
  /** The largest increase of the crash rate that does not matter, from 0 to 1. Default: that of the experiment. */
  readonly crashMargin?: number | undefined;
}

/** Compares an experiment's variants as they stand. */
export async function compareVariants(
  db: Db,
  experiment: ExperimentWithAudience,
  { now, crashMargin }: ComparisonOptions,
): Promise<ComparisonResult> {
  const { variants, cohorts, insights, questions, game } = await readExperiment(db, experiment);
  const players = variants.map(({ variant: { key }, sessionIds }) => ({ key, sessionIds: [...sessionIds] }));
  const { scorecards, shipBlocker } = await scoreVariants(db, players, {
    ...{ gameId: experiment.game_id, questions, now },
  });
  const shares = computeAllocationShares(variants.map(({ variant }) => variant));
  const rates = variants.map(({ variant: { key }, players: own, returns }, at) =>
    estimateMetrics({ key, share: shares[at] ?? 0, players: withDevice(own), returns }, now),
  );
  const sampleRatio = checkSampleRatio(
    shares,
    variants.map(({ returns }) => returns.length),
  );
  const { status, winner_variant_key: winnerVariantKey } = experiment;
  const verdict = decideVerdict({
    ...{ variants: rates, scorecards, shipBlocker, status },
    blocker: findBlocker(cohorts, sampleRatio),
    crashMargin: crashMargin ?? experiment.crash_margin,
  });
  return {
    comparison: {
      experimentId: experiment.id,
      name: experiment.name,
      gameId: experiment.game_id,
      game,
      generatedAt: now,
      variants: variants.map((variant) => toComparedVariant(variant, insights, now)),
      crossovers: cohorts.crossovers,
      sampleRatio,
      differences: computeDifferences(rates),
      scorecards,
      verdict,
    },
    sentiments: variants.map(({ variant, sessionIds }) => insights.countSentiments(variant.key, sessionIds)),
    questions,
    decision: { status, winnerVariantKey },
  };
}

/** Compares variants for the background. */
export const compareVariantsTask: Task<
  { readonly experiment: ExperimentWithAudience; readonly options: ComparisonOptions },
  ComparisonResult
> = {
  name: "compare variants",
  lane: "background",
  maxMs: MINUTE_MS,
  run: ({ store }, { experiment, options }) => store.read((db) => compareVariants(db, experiment, options)),
};

/** Why the figures cannot be used; null if they can. */
function findBlocker(
  { crossovers }: Cohorts,
  sampleRatio: ReturnType<typeof checkSampleRatio>,
): string | null {
  const { devices, warning } = crossovers;
  if (sampleRatio?.warning)
    return `players are not distributed as allocated (p = ${sampleRatio.pValue.toPrecision(2)}), so the figures mislead`;
  if (!warning) return null;
  return `${devices === 1 ? "1 device was" : `${devices} devices were`} in several variants, so the figures mislead`;
}

/** The insights of this many sessions are read at once. */
const SESSIONS_PER_PART = 250;

/** Reads the exposures and what is known about them. */
async function readExperiment(db: Db, experiment: ExperimentWithAudience) {
  const { game_id: gameId, account_id: accountId } = experiment;
  const exposed = await readExposedSessions(db, experiment);
  const cohorts = groupIntoCohorts(exposed);
  const sessionTimes = await readSessionTimes(db, gameId, exposed);
  const insights = new InsightIndex();
  const sessionIds = [...new Set(exposed.map(({ id }) => id))];
  for (let from = 0; from < sessionIds.length; from += SESSIONS_PER_PART) {
    const part = sessionIds.slice(from, from + SESSIONS_PER_PART);
    insights.add(await readExposedInsights(db, gameId, part));
  }
  const quotes = await readQuotes(db, experiment);
  const variants = parseVariants(experiment).map((variant): VariantData => {
    const players = cohorts.byVariant.get(variant.key) ?? [];
    const sessionIds = new Set(players.flatMap(({ sessions }) => sessions.map(({ id }) => id)));
    const texts = quotes.filter(({ session_id }) => sessionIds.has(session_id)).map(({ text }) => text);
    return { variant, players, returns: toSessionTimes(players, sessionTimes), sessionIds, quotes: texts };
  });
  const questions = await findQuestions(db, gameId);
  const { slug: game } = await requireGame(db, accountId, gameId);
  return { variants, cohorts, insights, questions, game };
}

/** One variant with its players and their data. */
interface VariantData {
  readonly variant: Variant;
  readonly players: readonly Player[];
  /** Session times of the players with a known device. */
  readonly returns: readonly DeviceSessionTimes[];
  /** The ids of its exposed sessions. */
  readonly sessionIds: ReadonlySet<string>;
  readonly quotes: readonly string[];
}

/** Sessions without a device may all belong to one person, so intervals cannot use them. */
function withDevice(players: readonly Player[]): Player[] {
  return players.filter(({ deviceId }) => deviceId !== null);
}

function toComparedVariant(data: VariantData, insights: InsightIndex, now: number): ComparedVariant {
  const sessions = data.players.flatMap((player) => player.sessions);
  const crashed = sessions.filter(hasCrash).length;
  const wall = sessions.reduce((sum, { wall_ms }) => sum + wall_ms, 0);
  const active = sessions.reduce((sum, { active_ms }) => sum + active_ms, 0);
  const { key, name, allocation } = data.variant;
  return {
    key,
    name,
    allocation,
    sessionCount: sessions.length,
    playerCount: data.returns.length,
    retention: computeRetention(data.returns, now),
    engagementPct: wall > 0 ? Math.min(100, (active / wall) * 100) : 0,
    crashRate: sessions.length > 0 ? crashed / sessions.length : 0,
    crashInterval: clusteredInterval(sumContributions(crashShares(withDevice(data.players)))),
    engagementInterval: scaleToPercent(
      clusteredInterval(sumContributions(engagementShares(withDevice(data.players)))),
    ),
    topFriction: insights.rankClusters(data.sessionIds, frictionTypes),
    topPraise: insights.rankClusters(data.sessionIds, ["praise", "positive-moment"]),
    sampleQuotes: data.quotes.slice(0, MAX_LISTED),
  };
}

function scaleToPercent({ low, high }: Interval): Interval {
  return { low: low * 100, high: high * 100 };
}

function toSessionTimes(
  players: readonly Player[],
  played: ReadonlyMap<string, number[]>,
): DeviceSessionTimes[] {
  return players.flatMap(({ deviceId, sessions: [first] }) =>
    deviceId === null || !first ? [] : [{ firstAt: first.recorded_at, playedAt: played.get(deviceId) ?? [] }],
  );
}

/** The insights of the exposed sessions, indexed by session. */
class InsightIndex {
  readonly #bySession = new Map<string, ExposedInsight[]>();

  add(insights: readonly ExposedInsight[]): void {
    for (const insight of insights) addToGroup(this.#bySession, insight.session_id, insight);
  }

  #findBySessions(sessions: ReadonlySet<string>): ExposedInsight[] {
    return [...sessions].flatMap((id) => this.#bySession.get(id) ?? []);
  }

  /** The tags of the given types by number of testers, ties by type and tag. */
  rankClusters(sessions: ReadonlySet<string>, types: readonly string[]): InsightCluster[] {
    const clusters = new Map<string, { type: string; tag: string; testers: Set<string> }>();
    for (const { type, tag, tester } of this.#findBySessions(sessions)) {
      if (!types.includes(type)) continue;
      const key = JSON.stringify([type, tag]);
      const cluster = clusters.get(key) ?? { type, tag, testers: new Set<string>() };
      cluster.testers.add(tester);
      clusters.set(key, cluster);
    }
    return [...clusters]
      .map(([key, { type, tag, testers }]) => ({ key, type, tag, count: testers.size }))
      .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
      .slice(0, MAX_LISTED)
      .map(({ type, tag, count }) => ({ type, tag, count }));
  }

  countSentiments(key: string, sessions: ReadonlySet<string>): VariantSentiment {
    const insights = this.#findBySessions(sessions).filter(({ type }) => type !== "session-summary");
    const count = (sentiment: string) => insights.filter((insight) => insight.sentiment === sentiment).length;
    return { key, positive: count("positive"), negative: count("negative"), insights: insights.length };
  }
}
