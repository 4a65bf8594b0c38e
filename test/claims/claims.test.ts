/** Every insight of the demo studio and of generated play is true: its claims, its words and its conditions. */
import { expect, test } from "vitest";
import { demoTelemetry } from "../../src/demo/index.ts";
import { analyzePlay } from "./analyzed-play.ts";
import { checkPlay } from "./check-play.ts";
import type { PlayBody } from "./recording.ts";
import { generatePlay } from "./synthetic-play.ts";

async function check(bodies: readonly PlayBody[]) {
  const analyzed = await analyzePlay(bodies);
  const kinds = new Set(
    analyzed
      .flatMap(({ insights }) => insights.flatMap(({ claims }) => claims ?? []))
      .map(({ kind }) => kind),
  );
  return { ...checkPlay(analyzed), kinds };
}

test("all claims about the demo studio are true", async () => {
  const { sessions, insights, claims, falsehoods } = await check([
    ...demoTelemetry(Date.UTC(2026, 2, 14, 15)),
  ]);
  expect(falsehoods).toEqual([]);
  expect(sessions).toBe(69);
  expect(insights.get("difficulty-spike")).toBeGreaterThanOrEqual(20);
  expect(claims).toBeGreaterThan(500);
});

test("all claims about generated play are true, and every rule for telemetry made some", async () => {
  const { insights, kinds, falsehoods } = await check(generatePlay());
  expect(falsehoods).toEqual([]);
  expect([...insights.keys()].sort()).toEqual([
    "bug-report",
    "difficulty-spike",
    "negative-moment",
    "pacing-issue",
    "positive-moment",
    "session-summary",
    "stuck-point",
  ]);
  expect([...kinds].sort()).toEqual([
    "bugs",
    "end",
    "events",
    "failures",
    "first-try",
    "frame-drops",
    "idle",
    "in-a-row",
    "interval",
    "left",
    "resets",
    "room-time",
    "still",
    "successes",
    "summary",
    "usual-time",
  ]);
});
