/** A journey in words: the details of the tester, and the friction and praise of each session. */

import { frictionTypes, type Insight, praiseTypes } from "../../contract/insights.ts";
import type { Journey, JourneyEntry } from "../../contract/testers.ts";
import { formatCount } from "../../shared/words.ts";
import type { Detail } from "../details.ts";
import { formatDuration } from "../time.ts";
import { formatTagCount } from "./tag-text.ts";

/** The tester of a journey. The summary mentions a trend of the active time only if the sessions show it. */
export function journeyDetails({ tester, game, totalSessions, totalActiveSec, summary }: Journey): Detail[] {
  return [
    ["Tester", tester.identityLabel, "strong"],
    ["Device", tester.deviceId ?? null],
    ["Game", game.name],
    ["Sessions", totalSessions],
    ["Active time", formatDuration(totalActiveSec)],
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
  return more > 0 ? [...lines, `${label}: ${formatCount(more, "more tag")}`] : lines;
}

function countTags(insights: readonly Insight[], types: readonly string[]): number {
  const tags = insights.flatMap(({ type, tag }) => (tag && types.includes(type) ? [tag] : []));
  return new Set(tags).size;
}
