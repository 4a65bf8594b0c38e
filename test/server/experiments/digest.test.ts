/** The digest by rules: its confidence and its texts. */
import { describe, expect, it, test } from "vitest";
import type { ComparedVariant, Lead, VariantComparison } from "../../../src/contract/experiments.ts";
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
    leader: null,
    ...more,
  };
}

/** Variants of which the first has this many players whose retention is known. All have 250 players. */
const variantsWith = (eligible: number) => [
  variant("control", { retention: [{ day: 1, eligible, retained: 0, rate: 0, interval: null }] }),
  variant("bright"),
];
const lead = (
  status: "safe" | "unknown" | "worse",
  more: Partial<Lead> = {},
): Pick<VariantComparison, "lead" | "leader"> => {
  const key = more.variant ?? "bright";
  return {
    leader: status === "safe" ? key : null,
    lead: {
      ...{ variant: key, metric: "retention-1", over: key === "bright" ? "control" : "bright" },
      ...{ delta: 0.123, interval: { low: 0.031, high: 0.215 }, early: false },
      guardrail: { metric: "crash-rate", margin: 0.01, upperBound: status === "safe" ? 0.008 : 0.04, status },
      ...more,
    },
  };
};
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
    ["insufficient", { variants: variantsWith(29), leader: "bright" }],
    ["low", { variants: variantsWith(30), leader: "bright" }],
    ["low", { variants: variantsWith(99) }],
    ["medium", { variants: variantsWith(100), leader: "bright" }],
    ["medium", { variants: variantsWith(199), leader: "bright" }],
    ["high", { variants: variantsWith(200), leader: "bright" }],
    ["medium", { variants: variantsWith(200) }],
    ["insufficient", { variants: [variant("control", { retention: [] }), variant("bright")] }],
    ["insufficient", { sampleRatio: skewed }],
    ["low", { crossovers: crossed, leader: "bright" }],
  ])("is %s", (label, more) => expect(rateConfidence(comparison(more))).toBe(label));
});

describe("the digest", () => {
  it("bases the recommendation on the leader, the differences and the number of players", () => {
    expect(digestOf(lead("safe")).recommendation).toBe(
      "Ship variant bright (“The bright”): day 1 retention is 12.3 percentage points higher (interval: 3.1 to 21.5) than in variant control (“The control”), and the crash rate is at most 0.8 percentage points higher (limit: 1.0).",
    );
    expect(digestOf({}).recommendation).toBe(
      "Keep the experiment running: no difference is statistically significant yet.",
    );
    expect(digestOf({ variants: variantsWith(12) }).recommendation).toContain(
      "the smallest variant has 12 players who joined at least 2 days ago; at least 30 are required",
    );
    expect(digestOf({ sampleRatio: skewed }).recommendation).toContain("(p = 4.3e-8)");
  });

  it("does not recommend to ship a variant that is not shown to be safe", () => {
    expect(digestOf(lead("unknown")).recommendation).toBe(
      "Keep the experiment running before you ship variant bright (“The bright”), which is ahead: day 1 retention is 12.3 percentage points higher (interval: 3.1 to 21.5) than in variant control (“The control”), but it is not known whether its sessions crash more often: the crash rate could still be up to 4.0 percentage points higher, and less than 1.0 is required.",
    );
    expect(digestOf(lead("unknown"), { status: "stopped" }).recommendation).toMatch(
      /^Resume the experiment before/,
    );
    expect(digestOf(lead("worse")).recommendation).toMatch(
      /^Do not ship variant bright \(“The bright”\) yet, .* the crash rate is significantly higher, by up to 4\.0 percentage points \(limit: 1\.0\)\.$/,
    );
  });

  it("warns that an early lead is too large on average", () => {
    expect(digestOf(lead("safe", { early: true })).recommendation).toMatch(
      /found early are too large on average\. Plan with the lower end of the interval, 3\.1 percentage points\.$/,
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
      "No variant leads, but these differences are statistically significant after a correction for the number of metrics: the crash rate is 12.3 percentage points higher in bright than in control (difference: 12.3, 95% interval: 2.0 to 20.0).",
    );
  });

  it("does not recommend keeping a stopped experiment or a draft running", () => {
    const stopped = (more: Partial<VariantComparison>) =>
      digestOf(more, { status: "stopped" }).recommendation;
    expect(stopped({})).toBe(
      "The experiment was stopped without a result: no difference is statistically significant. Resume it if you still need an answer.",
    );
    expect(stopped({ variants: variantsWith(12) })).toMatch(
      /^The experiment was stopped without a result: .* 12 players who joined .*; at least 30 are required/,
    );
    expect(stopped(lead("safe"))).toMatch(/^Ship variant bright \(“The bright”\):/);
    expect(digestOf({ variants: variantsWith(0) }, { status: "draft" }).recommendation).toMatch(
      /^Start the experiment\./,
    );
  });

  it("checks a declared winner against the data", () => {
    const won = (more: Partial<VariantComparison>) =>
      digestOf(more, { status: "stopped", winnerVariantKey: "bright" }).recommendation;
    expect(won(lead("safe"))).toMatch(
      /^Variant bright \(“The bright”\) was declared the winner, and the data confirms it: day 1/,
    );
    expect(won(lead("unknown"))).toMatch(/the winner\. It is ahead, but the data does not confirm it: day 1/);
    expect(won(lead("safe", { variant: "control" }))).toMatch(
      /winner, but variant control \(“The control”\) is ahead:/,
    );
    expect(won({})).toMatch(
      /winner, but the data does not confirm it: no difference is statistically significant\.$/,
    );
    expect(won({ variants: variantsWith(12) })).toMatch(
      /winner, but the data cannot confirm it: .* 12 players .*; at least 30/,
    );
    expect(won({ sampleRatio: skewed })).toMatch(/cannot confirm it: .*p = 4\.3e-8/);
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
    expect(await readRecommendation()).toMatch(/^Keep the experiment running:/);
    await alter(service, id, (db, row) => stopExperiment(db, row, NOW));
    expect(await readRecommendation()).toMatch(/^The experiment was stopped without a result:/);
    await alter(service, id, (db, row) => declareWinner(db, service.service, row, "bright"));
    expect(await readRecommendation()).toMatch(
      /^Variant bright \(“Brighter caves”\) was declared the winner, but/,
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
