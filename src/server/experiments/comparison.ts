/** The comparison of an experiment's variants: retention, engagement, crashes, friction, praise and what is certain. */
import type {
  ComparedVariant,
  InsightCluster,
  Variant,
  VariantComparison,
} from "../../contract/experiments.ts";
import { frictionTypes } from "../../contract/insights.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/questions.ts";
import type { QuestionsByTag } from "../insights/describe-tag.ts";
import { checkSampleRatio } from "./chi-square.ts";
import { type Cohorts, groupIntoCohorts, hasCrash, type Player } from "./cohorts.ts";
import { computeDifferences, findLeader, type VariantMeasurements } from "./differences.ts";
import {
  type ExposedInsight,
  readExposedInsights,
  readExposedSessions,
  readSessionTimes,
} from "./exposure-queries.ts";
import { type ExperimentWithAudience, parseVariants } from "./queries.ts";
import { readQuotes } from "./quote-queries.ts";
import type { ExperimentDecision } from "./recommendation.ts";
import { computeRetention, type DeviceSessionTimes } from "./retention.ts";
import { wilsonInterval } from "./statistics.ts";

/** How many clusters and quotes of a variant are told. */
const MAX_LISTED = 5;

/** How the insights of a variant feel, the summaries of sessions left out. */
export interface VariantSentiment {
  readonly key: string;
  readonly positive: number;
  readonly negative: number;
  readonly insights: number;
}

/** A comparison, and what the digest needs besides. */
export interface ComparisonResult {
  readonly comparison: VariantComparison;
  readonly sentiments: VariantSentiment[];
  /** What the game's forms ask: its tags are told by it. */
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
  const cohorts = groupIntoCohorts(await readExposedSessions(db, experiment));
  const played = await readSessionTimes(db, experiment);
  const found = new InsightIndex(await readExposedInsights(db, experiment));
  const quotes = await readQuotes(db, experiment);
  const sides = variants.map((variant): VariantData => {
    const players = cohorts.byVariant.get(variant.key) ?? [];
    const own = new Set(players.flatMap(({ sessions }) => sessions.map(({ id }) => id)));
    const texts = quotes.filter(({ session_id }) => own.has(session_id)).map(({ text }) => text);
    return { variant, players, returns: toSessionTimes(players, played), sessionIds: own, quotes: texts };
  });
  const comparison = toComparison(experiment, sides, cohorts, { found, now });
  const moods = sides.map(({ variant, sessionIds: own }) => found.countSentiments(variant.key, own));
  const { status, winner_variant_key: winnerVariantKey } = experiment;
  const questions = await findQuestions(db, experiment.game_id);
  return { comparison, sentiments: moods, questions, decision: { status, winnerVariantKey } };
}

/** One variant with its players. */
interface VariantData {
  readonly variant: Variant;
  readonly players: readonly Player[];
  /** Those of its players whose device is known. */
  readonly returns: readonly DeviceSessionTimes[];
  /** The ids of its sessions. */
  readonly sessionIds: ReadonlySet<string>;
  readonly quotes: readonly string[];
}

function toComparison(
  experiment: ExperimentWithAudience,
  sides: readonly VariantData[],
  { crossovers }: Cohorts,
  { found, now }: { readonly found: InsightIndex; readonly now: number },
): VariantComparison {
  const measured = sides.map(
    ({ variant, players, returns }): VariantMeasurements => ({ key: variant.key, players, returns }),
  );
  const sampleRatio = checkSampleRatio(
    sides.map(({ variant }) => variant),
    sides.map(({ returns }) => returns.length),
  );
  const trusted = !crossovers.warning && sampleRatio?.warning !== true;
  return {
    experimentId: experiment.id,
    gameId: experiment.game_id,
    generatedAt: now,
    variants: sides.map((side) => toComparedVariant(side, found, now)),
    crossovers,
    sampleRatio,
    differences: computeDifferences(measured, now),
    leader: trusted ? findLeader(measured, now) : null,
  };
}

function toComparedVariant(side: VariantData, found: InsightIndex, now: number): ComparedVariant {
  const sessions = side.players.flatMap((player) => player.sessions);
  const crashed = sessions.filter(hasCrash).length;
  const wall = sessions.reduce((sum, { wall_ms }) => sum + wall_ms, 0);
  const active = sessions.reduce((sum, { active_ms }) => sum + active_ms, 0);
  const { key, name, allocation } = side.variant;
  return {
    key,
    name,
    allocation,
    sessionCount: sessions.length,
    playerCount: side.returns.length,
    retention: computeRetention(side.returns, now),
    engagementPct: wall > 0 ? Math.min(100, (active / wall) * 100) : 0,
    crashRate: sessions.length > 0 ? crashed / sessions.length : 0,
    crashInterval: wilsonInterval(crashed, sessions.length),
    topFriction: found.rankClusters(side.sessionIds, frictionTypes),
    topPraise: found.rankClusters(side.sessionIds, ["praise", "positive-moment"]),
    sampleQuotes: side.quotes.slice(0, MAX_LISTED),
  };
}

function toSessionTimes(
  players: readonly Player[],
  played: ReadonlyMap<string, number[]>,
): DeviceSessionTimes[] {
  return players.flatMap(({ deviceId, sessions: [first] }) =>
    deviceId === null || !first ? [] : [{ firstAt: first.recorded_at, playedAt: played.get(deviceId) ?? [] }],
  );
}

/** The insights of the exposed sessions. */
class InsightIndex {
  readonly #bySession = new Map<string, ExposedInsight[]>();

  constructor(insights: readonly ExposedInsight[]) {
    for (const insight of insights) {
      const known = this.#bySession.get(insight.session_id);
      if (known) known.push(insight);
      else this.#bySession.set(insight.session_id, [insight]);
    }
  }

  #of(sessions: ReadonlySet<string>): ExposedInsight[] {
    return [...sessions].flatMap((id) => this.#bySession.get(id) ?? []);
  }

  /** The tags that most players met, ties by type and tag. */
  rankClusters(sessions: ReadonlySet<string>, types: readonly string[]): InsightCluster[] {
    const clusters = new Map<string, { type: string; tag: string; testers: Set<string> }>();
    for (const { type, tag, tester } of this.#of(sessions)) {
      if (!types.includes(type)) continue;
      const key = JSON.stringify([type, tag]);
      const known = clusters.get(key) ?? { type, tag, testers: new Set<string>() };
      known.testers.add(tester);
      clusters.set(key, known);
    }
    return [...clusters]
      .map(([key, { type, tag, testers }]) => ({ key, type, tag, count: testers.size }))
      .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
      .slice(0, MAX_LISTED)
      .map(({ type, tag, count }) => ({ type, tag, count }));
  }

  countSentiments(key: string, sessions: ReadonlySet<string>): VariantSentiment {
    const insights = this.#of(sessions).filter(({ type }) => type !== "session-summary");
    const count = (sentiment: string) => insights.filter((one) => one.sentiment === sentiment).length;
    return { key, positive: count("positive"), negative: count("negative"), insights: insights.length };
  }
}
