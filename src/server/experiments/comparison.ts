/**
 * The comparison of an experiment's variants: retention, engagement, crashes, friction, praise and significant
 * differences.
 */
import type {
  ComparedVariant,
  InsightCluster,
  Interval,
  Variant,
  VariantComparison,
} from "../../contract/experiments.ts";
import { frictionTypes } from "../../contract/insights.ts";
import { clusteredInterval, sumContributions } from "../../statistics/rates.ts";
import { checkSampleRatio } from "../../statistics/sample-ratio.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import type { QuestionsByTag } from "../insights/describe-tag.ts";
import { computeAllocationShares } from "./bucketing.ts";
import { type Cohorts, groupIntoCohorts, hasCrash, type Player } from "./cohorts.ts";
import { computeDifferences } from "./differences.ts";
import { planMetrics } from "./experiment-plan.ts";
import { type ExperimentWithAudience, parseVariants } from "./experiment-queries.ts";
import {
  type ExposedInsight,
  readExposedInsights,
  readExposedSessions,
  readSessionTimes,
} from "./exposure-queries.ts";
import { findLead, findLeader } from "./lead.ts";
import { crashShares, engagementShares, estimateMetrics } from "./metrics.ts";
import { computeRetention, type DeviceSessionTimes } from "./player-retention.ts";
import { readQuotes } from "./quote-queries.ts";
import type { ExperimentDecision } from "./recommendation.ts";

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

/** Compares an experiment's variants as they stand at `now`, unix ms. */
export async function compareVariants(
  db: Db,
  experiment: ExperimentWithAudience,
  now: number,
): Promise<ComparisonResult> {
  const variants = parseVariants(experiment);
  const exposed = await readExposedSessions(db, experiment);
  const cohorts = groupIntoCohorts(exposed);
  const sessionTimes = await readSessionTimes(db, experiment.game_id, exposed);
  const insights = new InsightIndex(await readExposedInsights(db, experiment));
  const quotes = await readQuotes(db, experiment);
  const variantData = variants.map((variant): VariantData => {
    const players = cohorts.byVariant.get(variant.key) ?? [];
    const sessionIds = new Set(players.flatMap(({ sessions }) => sessions.map(({ id }) => id)));
    const texts = quotes.filter(({ session_id }) => sessionIds.has(session_id)).map(({ text }) => text);
    return { variant, players, returns: toSessionTimes(players, sessionTimes), sessionIds, quotes: texts };
  });
  const comparison = toComparison(experiment, variantData, cohorts, { insights, now });
  const sentiments = variantData.map(({ variant, sessionIds }) =>
    insights.countSentiments(variant.key, sessionIds),
  );
  const { status, winner_variant_key: winnerVariantKey } = experiment;
  const questions = await findQuestions(db, experiment.game_id);
  return { comparison, sentiments, questions, decision: { status, winnerVariantKey } };
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

function toComparison(
  experiment: ExperimentWithAudience,
  variantData: readonly VariantData[],
  { crossovers }: Cohorts,
  { insights, now }: { readonly insights: InsightIndex; readonly now: number },
): VariantComparison {
  const shares = computeAllocationShares(variantData.map(({ variant }) => variant));
  const rates = variantData.map(({ variant: { key }, players, returns }, at) =>
    estimateMetrics({ key, share: shares[at] ?? 0, players: withDevice(players), returns }, now),
  );
  const sampleRatio = checkSampleRatio(
    shares,
    variantData.map(({ returns }) => returns.length),
  );
  const isTrustworthy = !crossovers.warning && sampleRatio?.warning !== true;
  const lead = isTrustworthy ? findLead(rates) : null;
  return {
    experimentId: experiment.id,
    gameId: experiment.game_id,
    generatedAt: now,
    variants: variantData.map((variant) => toComparedVariant(variant, insights, now)),
    crossovers,
    sampleRatio,
    differences: computeDifferences(rates),
    leader: findLeader(lead),
    lead,
    plan: planMetrics(rates),
  };
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

  constructor(insights: readonly ExposedInsight[]) {
    for (const insight of insights) {
      const bySession = this.#bySession.get(insight.session_id);
      if (bySession) bySession.push(insight);
      else this.#bySession.set(insight.session_id, [insight]);
    }
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
