/** The digest by rules: its confidence and its texts. */
import { describe, expect, it, test } from "vitest";
import type {
  ComparedVariant,
  ExperimentVerdict,
  Lead,
  VariantComparison,
} from "../../../src/contract/experiments.ts";
import { builtinProvider } from "../../../src/server/analysis/provider/builtin.ts";
import type { ComparisonResult } from "../../../src/server/experiments/comparison.ts";
import {
  describeSentimentShift,
  digestByRules,
  generateDigest,
  rateConfidence,
} from "../../../src/server/experiments/digest.ts";
import { declareWinner, stopExperiment } from "../../../src/server/experiments/lifecycle.ts";
import { NOW, startTestService } from "../../harness.ts";
import { alter, compare, experiment, sit } from "./helpers.ts";

function variant(key: string, more: Partial<ComparedVariant> = {}): ComparedVariant {
  return {
    key,
    name: `The ${key}`,
    allocation: 50,
    sessionCount: 300,
    playerCount: 250,
    retention: [{ day: 1, eligible: 200, retained: 80, rate: 0.4, interval: null }],
    engagementPct: 61.4,
    crashRate: 0,
    crashInterval: null,
    topFriction: [],
    topPraise: [],
    sampleQuotes: [],
    ...more,
  };
}

function comparison(more: Partial<VariantComparison> = {}): VariantComparison {
  return {
    experimentId: "exp_1",
    gameId: "game_1",
    generatedAt: NOW,
    variants: [variant("control"), variant("bright")],
    crossovers: { devices: 0, share: 0, warning: false },
    sampleRatio: { chiSquare: 0, pValue: 1, expected: [250, 250], warning: false },
    differences: [],
    ...verdict("keep running"),
    ...more,
  };
}

/** Variants of which the first has this many players whose retention is known. All have 250 players. */
const variantsWith = (eligible: number) => [
  variant("control", { retention: [{ day: 1, eligible, retained: 0, rate: 0, interval: null }] }),
  variant("bright"),
];
const verdict = (
  decision: string,
  more: Partial<ExperimentVerdict> = {},
): Pick<VariantComparison, "verdict"> => ({
  verdict: {
    ...{ decision, variant: "bright", reason: "some reason", guards: [], playersNeeded: [900, 900] },
    ...{ lead: null, soughtDifference: 0.05, rateAssumed: false, ...more },
  },
});
const lead = (early: boolean): Lead => ({
  ...{ variant: "bright", metric: "retention-1", over: "control", delta: 0.123, early },
  interval: { low: 0.031, high: 0.215 },
});
const digestOf = (more: Partial<VariantComparison>, decided: Partial<ComparisonResult["decision"]> = {}) =>
  digestByRules({
    comparison: comparison(more),
    sentiments: [],
    questions: new Map(),
    decision: { status: "running", winnerVariantKey: null, ...decided },
  }).digest;
const skewed = { chiSquare: 30, pValue: 4.3e-8, expected: [250, 250], warning: true };
const crossed = { devices: 20, share: 0.04, warning: true };

describe("the confidence", () => {
  test.each<[string, Partial<VariantComparison>]>([
    ["insufficient", { variants: variantsWith(29), ...verdict("ship") }],
    ["low", { variants: variantsWith(30), ...verdict("ship") }],
    ["low", { variants: variantsWith(99) }],
    ["medium", { variants: variantsWith(100), ...verdict("ship") }],
    ["medium", { variants: variantsWith(199), ...verdict("ship") }],
    ["high", { variants: variantsWith(200), ...verdict("ship") }],
    ["medium", { variants: variantsWith(200) }],
    ["insufficient", { variants: [variant("control", { retention: [] }), variant("bright")] }],
    ["insufficient", { sampleRatio: skewed }],
    ["low", { crossovers: crossed, ...verdict("ship") }],
  ])("is %s", (label, more) => expect(rateConfidence(comparison(more))).toBe(label));
});

describe("the digest", () => {
  it("recommends the verdict with its reason, and the lead that it rests on", () => {
    expect(digestOf(verdict("ship", { lead: lead(false) })).recommendation).toBe(
      "Ship bright: some reason. Day 1 retention is 12.3 percentage points higher than in control (range: 3.1 to 21.5).",
    );
    expect(digestOf({}).recommendation).toBe("Keep running: some reason.");
    expect(digestOf(verdict("stop", { variant: "control" })).recommendation).toBe("Stop: some reason.");
    expect(digestOf(verdict("keep running", { lead: lead(true) })).recommendation).toMatch(
      / Leads that are found early are too large on average\.$/,
    );
  });

  it("names differences that are significant after the correction, with their intervals", () => {
    const difference = { baseline: "control", variant: "bright", significant: true, pValue: 0.02 };
    const differences = [
      {
        ...{ ...difference, metric: "crash-rate", role: "guardrail", delta: 0.123 },
        ...{ interval: { low: 0.02, high: 0.2 }, adjustedPValue: 0.04 },
      },
      {
        ...{ ...difference, metric: "engagement", role: "secondary", delta: 0.2 },
        ...{ interval: { low: 0.01, high: 0.3 }, adjustedPValue: 0.08 },
      },
    ];
    expect(digestOf({ differences }).recommendation).toBe(
      "Keep running: some reason. Also significant: crash-rate is 12.3 percentage points higher in bright than in control (range: 2.0 to 20.0).",
    );
  });

  it("asks to start a draft", () => {
    expect(digestOf({ variants: variantsWith(0) }, { status: "draft" }).recommendation).toMatch(
      /^Start the experiment\./,
    );
  });

  it("checks a declared winner against the verdict", () => {
    const won = (more: Partial<VariantComparison>) =>
      digestOf(more, { status: "stopped", winnerVariantKey: "bright" }).recommendation;
    const confirmed = "bright was declared the winner, and the data confirms it. Ship bright: some reason.";
    expect(won(verdict("ship"))).toBe(confirmed);
    const denied = "bright was declared the winner, but the data does not confirm it. ";
    expect(won({})).toBe(`${denied}Keep running: some reason.`);
    expect(won(verdict("stop", { variant: "control" }))).toBe(`${denied}Stop: some reason.`);
  });

  it("writes a headline per variant that omits unknown values", () => {
    const variants = [
      variant("control", {
        crashRate: 0.1,
        topFriction: [{ type: "stuck-point", tag: "stuck-point:cave", count: 3 }],
      }),
      variant("bright", { sessionCount: 0, playerCount: 0 }),
    ];
    expect(digestOf({ variants }).perVariant).toEqual([
      {
        key: "control",
        headline:
          "250 players in 300 sessions; retention: 40.0% on day 1; 61.4% of play time was active; 10.0% of sessions crashed; top friction: stuck point in cave.",
      },
      { key: "bright", headline: "No sessions yet." },
    ]);
  });

  it("lists the themes that all variants share", () => {
    const cluster = (tag: string) => ({ type: "t", tag, count: 1 });
    const [own, shared, liked] = ["confusion:map", "stuck-point:cave", "praise:feedback-fun"];
    const variants = [
      variant("control", { topFriction: [cluster(own), cluster(shared)], topPraise: [cluster(liked)] }),
      variant("bright", { topFriction: [cluster(shared)], topPraise: [cluster(liked), cluster("q:4")] }),
    ];
    expect(digestOf({ variants }).sharedThemes).toEqual([
      "stuck point in cave",
      "happy answers (form field: fun)",
    ]);
  });

  it("describes the sentiment shift from the first variant", () => {
    const sentiment = (key: string, positive: number, negative: number) => ({
      key,
      positive,
      negative,
      insights: 9,
    });
    const sentiments = [
      sentiment("a", 4, 6),
      sentiment("b", 5, 5),
      sentiment("c", 1, 3),
      sentiment("d", 49, 51),
      sentiment("e", 0, 0),
    ];
    expect(describeSentimentShift(sentiments)).toBe(
      "Share of positive insights, excluding neutral ones: 40% in a; 50% in b (10 percentage points higher); " +
        "25% in c (15 percentage points lower); 49% in d (no clear difference); none rated in e.",
    );
    expect(describeSentimentShift([sentiment("a", 0, 0), sentiment("b", 1, 0)])).toMatch(
      /^The baseline has no positive or negative insights/,
    );
  });
});

describe("generateDigest", () => {
  it("considers the status and the winner of the experiment", async () => {
    const service = await startTestService();
    await service.addGame("maze");
    const id = await experiment(service, "maze");
    const readRecommendation = async () => {
      const { digest } = await alter(service, id, (db, row) => generateDigest(db, row, NOW));
      return digest.recommendation;
    };
    expect(await readRecommendation()).toMatch(/^Keep running: the smallest variant has 0 players /);
    await alter(service, id, (db, row) => stopExperiment(db, row, NOW));
    expect(await readRecommendation()).toMatch(/^Keep running: it stopped too early: /);
    await alter(service, id, (db, row) => declareWinner(db, service.service, row, "bright"));
    expect(await readRecommendation()).toMatch(
      /^bright was declared the winner, but the data does not confirm it\./,
    );
    await service.stop();
  });

  it("stores the digest, and replaces it the next time", async () => {
    const service = await startTestService();
    await service.addGame("maze");
    const id = await experiment(service, "maze");
    await sit(service, "maze", { at: NOW - 1000, deviceId: "a", tags: { [id]: "control" } });
    const digest = await alter(service, id, (db, row) => generateDigest(db, row, NOW));
    expect((await compare(service, id)).digest).toEqual(digest);
    expect(digest).toMatchObject({ status: "ok", confidenceLabel: "insufficient", generatedAt: NOW });
    expect(digest.digest.perVariant[0]?.headline).toContain("1 player in 1 session;");
    await alter(service, id, (db, row) => generateDigest(db, row, NOW + 5, builtinProvider));
    expect((await compare(service, id)).digest).toMatchObject({ status: "degraded", generatedAt: NOW + 5 });
    await service.stop();
  });
});
