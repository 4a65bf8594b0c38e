/** The journey of one tester: the engagement trend, the top tags, and a summary in words. */
import type { Insight } from "../../contract/insights.ts";
import { frictionTypes, praiseTypes } from "../../contract/insights.ts";
import type { EngagementTrend, JourneyEntry } from "../../contract/journeys.ts";
import { DAY_MS } from "../../shared/time-units.ts";
import { describeTag, type QuestionsByTag } from "../insights/describe-tag.ts";
import { formatCount, formatDuration, joinWithAnd } from "../insights/wording.ts";
import type { JourneySession } from "./journey-queries.ts";

/** Minimum number of sessions for a trend. */
export const MIN_TREND_SESSIONS = 4;
/** Number of sessions at each end that are compared. */
const TREND_WINDOW = 3;
/** Maximum relative change of the mean that counts as flat. */
export const MAX_FLAT_CHANGE = 0.15;
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

export const topFriction = (insights: readonly Insight[], questions: QuestionsByTag): JourneyCluster[] =>
  toClusters(rankTags(insights, friction), questions);

export const topPraise = (insights: readonly Insight[], questions: QuestionsByTag): JourneyCluster[] =>
  toClusters(rankTags(insights, praise), questions);

const toClusters = (ranked: readonly RankedTag[], questions: QuestionsByTag): JourneyCluster[] =>
  ranked.slice(0, MAX_TOP_TAGS).map(({ type, tag, count }) => {
    return { type, tag, title: describeTag(tag, questions).label, count };
  });

const trendWords: Record<EngagementTrend, string> = {
  rising: "sessions are getting longer",
  flat: "sessions are about as long as before",
  declining: "sessions are getting shorter",
  insufficient_data: "too few sessions for a trend",
};

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
  const opening = `${label} played ${formatCount(sessions.length, "session")}${span} ${builds}, with ${formatDuration(total)} of active play; ${trendWords[computeTrend(activeMs)]}.`;
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
