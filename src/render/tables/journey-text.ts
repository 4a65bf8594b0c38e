/** A journey in words: the details of the tester, and the friction and praise of each session. */

import { frictionTypes, type Insight, praiseTypes } from "../../contract/insights.ts";
import type { Journey, JourneyEntry } from "../../contract/testers.ts";
import { ownValue } from "../../shared/own-value.ts";
import type { Detail } from "../details.ts";
import type { RenderOptions } from "../options.ts";
import type { Style } from "../style.ts";
import { formatDuration } from "../time.ts";
import { formatTagCount } from "./tag-text.ts";

interface Trend {
  readonly text: string;
  /** Repeats the text as a symbol. */
  readonly arrow: string;
  /** What the trend is based on. */
  readonly note: string;
  readonly style: Style;
}

const COMPARED = " (last 3 sessions vs. first 3)";

const trends: Readonly<Record<string, Trend>> = {
  rising: { text: "rising", arrow: " ▲", note: COMPARED, style: "good" },
  flat: { text: "flat", arrow: "", note: COMPARED, style: "muted" },
  declining: { text: "declining", arrow: " ▼", note: COMPARED, style: "bad" },
  insufficient_data: {
    text: "not enough data",
    arrow: "",
    note: " (at least 4 sessions are required)",
    style: "muted",
  },
};

export function journeyDetails(journey: Journey, { plain }: Pick<RenderOptions, "plain">): Detail[] {
  const { tester, game, totalSessions, totalActiveSec, engagementTrend, summary } = journey;
  const trend = ownValue(trends, engagementTrend) ?? {
    text: engagementTrend,
    arrow: "",
    note: "",
    style: "muted",
  };
  return [
    ["Tester", tester.identityLabel, "strong"],
    ["Device", tester.deviceId ?? null],
    ["Game", game.name],
    ["Sessions", totalSessions],
    ["Active time", formatDuration(totalActiveSec)],
    ["Active time trend", trend.text + (plain ? "" : trend.arrow) + trend.note, trend.style],
    ["Summary", summary || null],
  ];
}

interface StyledText {
  readonly text: string;
  readonly style: "good" | "bad";
}

/** The top tags of a session, first those of friction. */
export function listEntryTags({ insights, topFriction, topPraise }: JourneyEntry): StyledText[] {
  const friction = listTags("Friction", topFriction, countTags(insights, frictionTypes));
  const praise = listTags("Praise", topPraise, countTags(insights, praiseTypes));
  return [
    ...friction.map((text) => ({ text, style: "bad" as const })),
    ...praise.map((text) => ({ text, style: "good" as const })),
  ];
}

/** The top tags, followed by the number of other tags, such as `Friction: 2 more tags`. */
function listTags(label: string, top: JourneyEntry["topFriction"], total: number): string[] {
  const more = total - top.length;
  const lines = top.map((counted) => formatTagCount(label, counted));
  return more > 0 ? [...lines, `${label}: ${more} more ${more === 1 ? "tag" : "tags"}`] : lines;
}

/** The number of tags of insights of the given types. */
function countTags(insights: readonly Insight[], types: readonly string[]): number {
  const tags = insights.flatMap(({ type, tag }) => (tag && types.includes(type) ? [tag] : []));
  return new Set(tags).size;
}
