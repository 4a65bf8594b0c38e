/** The comparison of an experiment's variants: retention, engagement, crashes, friction, praise and what is certain. */
import type { Cluster, ComparedVariant, Comparison, Variant } from "../../contract/experiments.ts";
import { frictionTypes } from "../../contract/insights.ts";
import type { Db } from "../db/schema.ts";
import { questionsOf } from "../feedback/questions.ts";
import type { Questions } from "../insights/tag-words.ts";
import { sampleRatioOf } from "./chi-square.ts";
import { type Cohorts, cohortsOf, hasCrash, type Player } from "./cohorts.ts";
import { differencesOf, leaderOf, type Measured } from "./differences.ts";
import { type ExposedInsight, exposedInsights, exposedSessions, playOfExposed } from "./exposure-queries.ts";
import { type AudiencedExperiment, variantsOf } from "./queries.ts";
import { quotesOfExposed } from "./quote-queries.ts";
import type { Decided } from "./recommendation.ts";
import { type Returns, retentionOf } from "./retention.ts";
import { wilson } from "./statistics.ts";

/** How many clusters and quotes of a variant are told. */
const TOP = 5;

/** How the insights of a variant feel, the summaries of sessions left out. */
export interface Mood {
  readonly key: string;
  readonly positive: number;
  readonly negative: number;
  readonly insights: number;
}

/** A comparison, and what the digest needs besides. */
export interface Compared {
  readonly comparison: Comparison;
  readonly moods: Mood[];
  /** What the game's forms ask: its tags are told by it. */
  readonly questions: Questions;
  readonly decided: Decided;
}

/** Compares an experiment's variants as they stand at `now`, unix ms. */
export async function compareVariants(
  db: Db,
  experiment: AudiencedExperiment,
  now: number,
): Promise<Compared> {
  const variants = variantsOf(experiment);
  const cohorts = cohortsOf(await exposedSessions(db, experiment));
  const played = await playOfExposed(db, experiment);
  const found = new Findings(await exposedInsights(db, experiment));
  const quotes = await quotesOfExposed(db, experiment);
  const sides = variants.map((variant): Side => {
    const players = cohorts.byVariant.get(variant.key) ?? [];
    const own = new Set(players.flatMap(({ sessions }) => sessions.map(({ id }) => id)));
    const texts = quotes.filter(({ session_id }) => own.has(session_id)).map(({ text }) => text);
    return { variant, players, returns: returnsOf(players, played), own, quotes: texts };
  });
  const comparison = assemble(experiment, sides, cohorts, { found, now });
  const moods = sides.map(({ variant, own }) => found.moodOf(variant.key, own));
  const { status, winner_variant_key: winnerVariantKey } = experiment;
  const questions = await questionsOf(db, experiment.game_id);
  return { comparison, moods, questions, decided: { status, winnerVariantKey } };
}

/** One variant with its players. */
interface Side {
  readonly variant: Variant;
  readonly players: readonly Player[];
  /** Those of its players whose device is known. */
  readonly returns: readonly Returns[];
  /** The ids of its sessions. */
  readonly own: ReadonlySet<string>;
  readonly quotes: readonly string[];
}

function assemble(
  experiment: AudiencedExperiment,
  sides: readonly Side[],
  { crossovers }: Cohorts,
  { found, now }: { readonly found: Findings; readonly now: number },
): Comparison {
  const measured = sides.map(
    ({ variant, players, returns }): Measured => ({ key: variant.key, players, returns }),
  );
  const sampleRatio = sampleRatioOf(
    sides.map(({ variant }) => variant),
    sides.map(({ returns }) => returns.length),
  );
  const trusted = !crossovers.warning && sampleRatio?.warning !== true;
  return {
    experimentId: experiment.id,
    gameId: experiment.game_id,
    generatedAt: now,
    variants: sides.map((side) => comparedVariant(side, found, now)),
    crossovers,
    sampleRatio,
    differences: differencesOf(measured, now),
    leader: trusted ? leaderOf(measured, now) : null,
  };
}

function comparedVariant(side: Side, found: Findings, now: number): ComparedVariant {
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
    retention: retentionOf(side.returns, now),
    engagementPct: wall > 0 ? Math.min(100, (active / wall) * 100) : 0,
    crashRate: sessions.length > 0 ? crashed / sessions.length : 0,
    crashInterval: wilson(crashed, sessions.length),
    topFriction: found.clustersOf(side.own, frictionTypes),
    topPraise: found.clustersOf(side.own, ["praise", "positive-moment"]),
    sampleQuotes: side.quotes.slice(0, TOP),
  };
}

function returnsOf(players: readonly Player[], played: ReadonlyMap<string, number[]>): Returns[] {
  return players.flatMap(({ deviceId, sessions: [first] }) =>
    deviceId === null || !first ? [] : [{ firstAt: first.recorded_at, playedAt: played.get(deviceId) ?? [] }],
  );
}

/** The insights of the exposed sessions. */
class Findings {
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
  clustersOf(sessions: ReadonlySet<string>, types: readonly string[]): Cluster[] {
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
      .slice(0, TOP)
      .map(({ type, tag, count }) => ({ type, tag, count }));
  }

  moodOf(key: string, sessions: ReadonlySet<string>): Mood {
    const insights = this.#of(sessions).filter(({ type }) => type !== "session-summary");
    const count = (sentiment: string) => insights.filter((one) => one.sentiment === sentiment).length;
    return { key, positive: count("positive"), negative: count("negative"), insights: insights.length };
  }
}
