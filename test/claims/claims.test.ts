/** Every insight of the demo studio and of generated play is true: its claims, its words and its conditions. */
import { beforeAll, expect, test } from "vitest";
import { claim as claimSchema } from "../../src/contract/claims.ts";
import type { InsightWithClaims } from "../../src/contract/insights.ts";
import { demoTelemetry } from "../../src/demo/index.ts";
import { type AnalyzedSession, analyzePlay } from "./analyzed-play.ts";
import { checkPlay } from "./check-play.ts";
import { readRecording } from "./recording.ts";
import { generatePlay } from "./synthetic-play.ts";

/** Paths of further recordings, separated by colons. */
const recordings = process.env.PLAYTEST_TEST_RECORDINGS?.split(":") ?? [];

const KINDS = [
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
];

let generated: readonly AnalyzedSession[];
beforeAll(async () => {
  generated = await analyzePlay(generatePlay());
});

test("all claims about the demo studio are true", async () => {
  const { sessions, insights, claims, falsehoods } = checkPlay(
    await analyzePlay([...demoTelemetry(Date.UTC(2026, 2, 14, 15))]),
  );
  expect(falsehoods).toEqual([]);
  expect(sessions).toBe(69);
  expect(insights.get("difficulty-spike")).toBeGreaterThanOrEqual(20);
  expect(claims).toBeGreaterThan(500);
});

test("all claims about generated play are true, and every rule for telemetry makes some", () => {
  const { insights, falsehoods } = checkPlay(generated);
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
  const claims = generated.flatMap(({ insights }) => insights.flatMap((insight) => insight.claims ?? []));
  expect([...new Set(claims.map(({ kind }) => kind))].sort()).toEqual(KINDS);
});

test.each(recordings)("all claims about %s are true", async (file) => {
  expect(checkPlay(await analyzePlay(readRecording(file))).falsehoods).toEqual([]);
});

/** Copies the sessions with one insight changed. */
function withChange(
  change: (insight: InsightWithClaims) => InsightWithClaims | null,
): readonly AnalyzedSession[] | null {
  for (const [index, session] of generated.entries()) {
    for (const [at, insight] of session.insights.entries()) {
      const changed = change(insight);
      if (changed === null) continue;
      return generated.with(index, { ...session, insights: session.insights.with(at, changed) });
    }
  }
  return null;
}

test.each(KINDS)("reports a changed value in a claim of the kind %s", (kind) => {
  const claims = generated.flatMap(({ insights }) => insights.flatMap((insight) => insight.claims ?? []));
  const fields = Object.keys(claims.find((claim) => claim.kind === kind) ?? {});
  for (const field of fields.filter((name) => name !== "kind")) {
    const sessions = withChange((insight) => {
      const at = (insight.claims ?? []).findIndex((claim) => claim.kind === kind);
      const original = insight.claims?.[at];
      if (!original) return null;
      const value: unknown = Object.entries(original).find(([name]) => name === field)?.[1];
      const changed = claimSchema.safeParse({ ...original, [field]: changeValue(value) });
      return changed.success ? { ...insight, claims: insight.claims?.with(at, changed.data) } : null;
    });
    expect(sessions, field).not.toBeNull();
    if (sessions) expect(checkPlay(sessions).falsehoods, field).not.toEqual([]);
  }
});

/** Another value of the same type. */
function changeValue(value: unknown): unknown {
  if (typeof value === "number") return value + 1000;
  if (typeof value === "string" || value === null) return "no-such-name";
  return Array.isArray(value) ? [...value, "no-such-event"] : value;
}

test.each(["title", "evidence"] as const)("reports a changed number in the %s", (field) => {
  const types = new Set(generated.flatMap(({ insights }) => insights.map(({ type }) => type)));
  for (const type of types) {
    const sessions = withChange((insight) => {
      const text = insight[field] ?? "";
      const changed = text.replace(/(?<=^|[ “])\d+(?=[ smh])/, (number) => String(Number(number) + 3));
      return insight.type === type && changed !== text ? { ...insight, [field]: changed } : null;
    });
    if (sessions) expect(checkPlay(sessions).falsehoods, type).not.toEqual([]);
  }
});
