/** A tester's sessions as a series: how long each was played, and whether it went well or ill. */
import type { Journey, JourneyEntry } from "../contract/journeys.ts";
import type { ChartMood, Series } from "./charts.ts";

/** The play time of each session, the first one first. */
export function journeyChart({ tester, game, entries }: Journey): Series {
  return {
    kind: "series",
    title: `${tester.identityLabel} in ${game.name}: play time a session`,
    note: "From start to end of each session, in order; the API tells active time over all of them alone.",
    unit: "seconds",
    each: "session",
    missing: "not known",
    points: entries.map((entry) => ({
      label: new Date(entry.session.recordedAt).toISOString().slice(0, 10),
      value: entry.session.duration,
      mood: getEntryMood(entry),
    })),
  };
}

function getEntryMood({ topFriction, topPraise }: JourneyEntry): ChartMood {
  if (topFriction.length > 0) return "bad";
  return topPraise.length > 0 ? "good" : "neutral";
}
