/** A tester's sessions as a series: the length of each, and whether it had friction or praise. */
import type { Journey, JourneyEntry } from "../contract/testers.ts";
import type { ChartMood, Series } from "./charts.ts";

/** The length of each session in chronological order. */
export function journeyChart({ tester, game, entries }: Journey): Series {
  return {
    kind: "series",
    title: `${tester.identityLabel} in ${game.name}: session lengths`,
    note: "Length of each session including inactive time, oldest first.",
    unit: "seconds",
    each: "session",
    missing: "unknown length",
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
