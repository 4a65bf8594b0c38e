/** The journey of one tester: where engagement goes, what was met most, and a sentence that says so. */
import type { Insight } from "../../contract/insights.ts";
import { frictionTypes } from "../../contract/insights.ts";
import type { EngagementTrend, JourneyEntry } from "../../contract/journeys.ts";
import { DAY_MS } from "../../shared/time-units.ts";
import { type Questions, tagWords } from "../insights/tag-words.ts";
import { counted, spanText, timesOver } from "../insights/wording.ts";
import type { JourneySession } from "./journey-queries.ts";

/** Fewer sessions than this tell of no trend. */
export const TREND_LEAST = 4;
/** Sessions at either end that are compared. */
const TREND_ENDS = 3;
/** A change up to this share of the first sessions' mean is none. */
export const FLAT_SHARE = 0.15;
/** Clusters an entry names. */
const TOP = 3;

const friction: ReadonlySet<string> = new Set(frictionTypes);
const praise: ReadonlySet<string> = new Set(["praise", "positive-moment"]);

type Cluster = JourneyEntry["topFriction"][number];

/** Compares the mean active time of the last three sessions with the first three; times in ms, oldest first. */
export function trendOf(activeMs: readonly number[]): EngagementTrend {
  if (activeMs.length < TREND_LEAST) return "insufficient_data";
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const [first, last] = [sum(activeMs.slice(0, TREND_ENDS)), sum(activeMs.slice(-TREND_ENDS))];
  if (Math.abs(last - first) <= first * FLAT_SHARE) return "flat";
  return last > first ? "rising" : "declining";
}

/** The tags that occur most among insights of some types: by count, then by tag. */
function clustersOf(insights: readonly Insight[], types: ReadonlySet<string>): Cluster[] {
  const byTag = new Map<string, Cluster>();
  for (const { type, tag } of insights) {
    if (!types.has(type) || !tag) continue;
    byTag.set(tag, { type, tag, count: (byTag.get(tag)?.count ?? 0) + 1 });
  }
  return [...byTag.values()].sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1));
}

export const topFriction = (insights: readonly Insight[]): Cluster[] =>
  clustersOf(insights, friction).slice(0, TOP);

export const topPraise = (insights: readonly Insight[]): Cluster[] =>
  clustersOf(insights, praise).slice(0, TOP);

const trendWords: Record<EngagementTrend, string> = {
  rising: "play time is rising",
  flat: "play time is steady",
  declining: "play time is declining",
  insufficient_data: "too few sessions for a trend",
};

/** The journey in one or two sentences, from counts alone. */
export function summarizeJourney(
  label: string,
  sessions: readonly JourneySession[],
  insights: readonly Insight[],
  questions: Questions,
): string {
  const [first, last] = [sessions[0], sessions.at(-1)];
  if (!first || !last) return `${label} has not played yet.`;
  const activeMs = sessions.map((session) => session.activeMs);
  const total = activeMs.reduce((sum, ms) => sum + ms, 0);
  const builds =
    first.build === last.build ? `on build ${first.build}` : `from build ${first.build} to ${last.build}`;
  const over = last.recordedAt - first.recordedAt;
  const span = over >= DAY_MS ? ` over ${counted(Math.round(over / DAY_MS), "day")}` : "";
  const opening = `${label} played ${counted(sessions.length, "session")}${span} ${builds}, with ${spanText(total)} of active play; ${trendWords[trendOf(activeMs)]}.`;
  const worst = clustersOf(insights, friction)[0];
  const best = clustersOf(insights, praise)[0];
  const said = ({ tag, count }: Cluster) => `${tagWords(tag, questions).theme} (${timesOver(count)})`;
  return [
    opening,
    ...(worst ? [`Most friction: ${said(worst)}.`] : []),
    ...(best ? [`Went best: ${said(best)}.`] : []),
  ].join(" ");
}
