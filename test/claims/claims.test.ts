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
  expect(sessions).toBe(74);
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

/** Changes the first insight that can be changed, and returns what is false about its session. Null if none can be changed. */
function findFalsehoods(
  change: (insight: InsightWithClaims) => InsightWithClaims | null,
): readonly string[] | null {
  for (const [index, session] of generated.entries()) {
    for (const [at, insight] of session.insights.entries()) {
      const changed = change(insight);
      if (changed === null) continue;
      const altered = { ...session, insights: session.insights.with(at, changed) };
      return checkPlay(generated.with(index, altered), {}, (one) => one === altered).falsehoods;
    }
  }
  return null;
}

test.each(KINDS)("reports a changed value in a claim of the kind %s", (kind) => {
  const claims = generated.flatMap(({ insights }) => insights.flatMap((insight) => insight.claims ?? []));
  const fields = Object.keys(claims.find((claim) => claim.kind === kind) ?? {});
  for (const field of fields.filter((name) => name !== "kind")) {
    const falsehoods = findFalsehoods((insight) => {
      const at = (insight.claims ?? []).findIndex((claim) => claim.kind === kind);
      const original = insight.claims?.[at];
      if (!original) return null;
      const value: unknown = Object.entries(original).find(([name]) => name === field)?.[1];
      const changed = claimSchema.safeParse({ ...original, [field]: changeValue(value) });
      return changed.success ? { ...insight, claims: insight.claims?.with(at, changed.data) } : null;
    });
    expect(falsehoods, field).not.toBeNull();
    expect(falsehoods, field).not.toEqual([]);
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
    const falsehoods = findFalsehoods((insight) => {
      const text = insight[field] ?? "";
      const changed = text.replace(/(?<=^|[ “])\d+(?=[ smh])/, (number) => String(Number(number) + 3));
      return insight.type === type && changed !== text ? { ...insight, [field]: changed } : null;
    });
    expect(falsehoods, type).not.toEqual([]);
  }
});
