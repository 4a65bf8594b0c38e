/** Journeys: all sessions of one tester in chronological order, by handle or device id. */

import { frictionTypes, type Insight, praiseTypes } from "../../contract/insights.ts";
import type { Session } from "../../contract/sessions.ts";
import type { EngagementTrend, getTesterJourney, Journey, JourneyEntry } from "../../contract/testers.ts";
import { DAY_MS } from "../../shared/time-units.ts";
import { formatCount } from "../../shared/words.ts";
import { testTrend } from "../../statistics/mann-kendall.ts";
import type { Handler } from "../accounts/handler.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import { requireGame } from "../games/game-queries.ts";
import { resolveTester, type TesterIdentity } from "../ids/tester-queries.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";
import { formatDuration, joinWithAnd } from "../insights/wording.ts";
import { type JourneySession, readJourneyInsights, readJourneySessions } from "./tester-queries.ts";

export const handleGetTesterJourney: Handler<typeof getTesterJourney> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const tester = await resolveTester(db, game.id, input.deviceId);
  const { id, slug, name } = game;
  return {
    journey: { ...(await buildJourney(db, id, tester, input.env ?? "all")), game: { id, slug, name } },
  };
};

async function buildJourney(
  db: Db,
  gameId: string,
  { handle, deviceId, sessionFilter }: TesterIdentity,
  env: string,
): Promise<Omit<Journey, "game">> {
  const sessions = await readJourneySessions(db, gameId, sessionFilter, env);
  const bySession = await readJourneyInsights(db, gameId, sessionFilter, env);
  const questions = await findQuestions(db, gameId);
  const entries = sessions.map((session): JourneyEntry => {
    const insights = bySession.get(session.id) ?? [];
    return {
      session: JSON.parse(session.item) as Session,
      insights,
      topFriction: topFriction(insights, questions),
      topPraise: topPraise(insights, questions),
    };
  });
  const lastHandle = sessions.findLast((session) => session.testerHandle !== null)?.testerHandle;
  const identityLabel = handle ?? lastHandle ?? deviceId ?? "";
  const activeMs = sessions.map((session) => session.activeMs);
  return {
    tester: { handle, deviceId, identityLabel },
    totalSessions: sessions.length,
    totalActiveSec: Math.round(activeMs.reduce((sum, ms) => sum + ms, 0) / 1000),
    engagementTrend: computeTrend(activeMs),
    entries,
    summary: summarizeJourney(
      identityLabel,
      sessions,
      entries.flatMap((entry) => entry.insights),
      questions,
      env,
    ),
  };
}

/** Minimum number of sessions for a trend. */
const MIN_TREND_SESSIONS = 4;
/** Number of sessions at each end that are compared. */
const TREND_WINDOW = 3;
/** Maximum relative change of the mean that counts as flat. */
const MAX_FLAT_CHANGE = 0.15;
/** Maximum number of tags per entry. */
const MAX_TOP_TAGS = 3;

const friction: ReadonlySet<string> = new Set(frictionTypes);
const praise: ReadonlySet<string> = new Set(praiseTypes);

type JourneyCluster = JourneyEntry["topFriction"][number];
/** A cluster without the title of its tag. */
type RankedTag = Omit<JourneyCluster, "title">;

/** Compares the mean active time of the last three sessions with that of the first three. Times in ms, oldest first. */
export function computeTrend(activeMs: readonly number[]): EngagementTrend {
  if (activeMs.length < MIN_TREND_SESSIONS) return "insufficient_data";
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const [first, last] = [sum(activeMs.slice(0, TREND_WINDOW)), sum(activeMs.slice(-TREND_WINDOW))];
  if (Math.abs(last - first) <= first * MAX_FLAT_CHANGE) return "flat";
  return last > first ? "rising" : "declining";
}

/** Ranks the tags of insights of the given types by count, then by tag. */
function rankTags(insights: readonly Insight[], types: ReadonlySet<string>): RankedTag[] {
  const byTag = new Map<string, RankedTag>();
  for (const { type, tag } of insights) {
    if (!types.has(type) || !tag) continue;
    byTag.set(tag, { type, tag, count: (byTag.get(tag)?.count ?? 0) + 1 });
  }
  return [...byTag.values()].sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1));
}

const topFriction = (insights: readonly Insight[], questions: QuestionsByTag): JourneyCluster[] =>
  toClusters(rankTags(insights, friction), questions);

const topPraise = (insights: readonly Insight[], questions: QuestionsByTag): JourneyCluster[] =>
  toClusters(rankTags(insights, praise), questions);

const toClusters = (ranked: readonly RankedTag[], questions: QuestionsByTag): JourneyCluster[] =>
  ranked.slice(0, MAX_TOP_TAGS).map(({ type, tag, count }) => {
    return { type, tag, title: describeTag(tag, questions).label, count };
  });

/** The largest p-value of a trend that is put in words. */
const TREND_LEVEL = 0.05;

/** What the sessions show about their length beyond chance, as the end of a sentence. Times in ms, oldest first. */
function describeTrend(activeMs: readonly number[]): string {
  const { score, pValue } = testTrend(activeMs);
  if (pValue > TREND_LEVEL) return "";
  return `; sessions are getting ${score > 0 ? "longer" : "shorter"}`;
}

/** Summarizes a journey in one to three sentences, based only on counts. */
export function summarizeJourney(
  label: string,
  sessions: readonly JourneySession[],
  insights: readonly Insight[],
  questions: QuestionsByTag,
  env: string,
): string {
  const [first, last] = [sessions[0], sessions.at(-1)];
  if (!first || !last)
    return env === "all" ? `${label} has not played yet.` : `${label} has no sessions in ${env}.`;
  const activeMs = sessions.map((session) => session.activeMs);
  const total = activeMs.reduce((sum, ms) => sum + ms, 0);
  const builds =
    first.build === last.build ? `on build ${first.build}` : `from build ${first.build} to ${last.build}`;
  const spanMs = last.recordedAt - first.recordedAt;
  const span = spanMs >= DAY_MS ? ` over ${formatCount(Math.round(spanMs / DAY_MS), "day")}` : "";
  const opening = `${label} played ${formatCount(sessions.length, "session")}${span} ${builds}, with ${formatDuration(total)} of active play${describeTrend(activeMs)}.`;
  return [
    opening,
    ...describeTopTags("Top friction", rankTags(insights, friction), questions),
    ...describeTopTags("Top praise", rankTags(insights, praise), questions),
  ].join(" ");
}

/**
 * A sentence about the most frequent tag, and about up to two others that are equally frequent. A session has at most one
 * insight per tag, so their counts are numbers of sessions.
 */
function describeTopTags(
  label: string,
  ranked: readonly RankedTag[],
  questions: QuestionsByTag,
): readonly string[] {
  const top = ranked.filter(({ count }) => count === ranked[0]?.count).slice(0, MAX_TOP_TAGS);
  if (top.length === 0) return [];
  const themes = joinWithAnd(top.map(({ tag }) => describeTag(tag, questions).theme));
  const sessions = `in ${formatCount(top[0]?.count ?? 0, "session")}${top.length > 1 ? " each" : ""}`;
  return [`${label}: ${themes} (${sessions}).`];
}
