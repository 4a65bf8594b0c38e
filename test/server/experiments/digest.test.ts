/** The digest by rules: how far it believes the comparison, and what it says of it. */
import { describe, expect, it, test } from "vitest";
import type { ComparedVariant, VariantComparison } from "../../../src/contract/experiments.ts";
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
import { alter, compare, experiment, sit } from "./world.ts";

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

const of = (players: number) => [variant("control", { playerCount: players }), variant("bright")];
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
    ["insufficient", { variants: of(29), leader: "bright" }],
    ["low", { variants: of(30), leader: "bright" }],
    ["low", { variants: of(99) }],
    ["medium", { variants: of(100), leader: "bright" }],
    ["medium", { variants: of(199), leader: "bright" }],
    ["high", { variants: of(200), leader: "bright" }],
    ["medium", { variants: of(200) }],
    ["insufficient", { sampleRatio: skewed }],
    ["low", { crossovers: crossed, leader: "bright" }],
  ])("is %s", (label, more) => expect(rateConfidence(comparison(more))).toBe(label));
});

describe("the digest", () => {
  it("recommends what the numbers bear", () => {
    expect(digestOf({ leader: "bright" }).recommendation).toMatch(/^Ship The bright:/);
    expect(digestOf({}).recommendation).toBe("Keep it running: no difference is certain yet.");
    expect(digestOf({ variants: of(12) }).recommendation).toContain("12 of the 30 players");
    expect(digestOf({ sampleRatio: skewed, leader: "bright" }).recommendation).toContain("(p = 4.3e-8)");
    const differences = [
      {
        metric: "crash-rate",
        baseline: "control",
        variant: "bright",
        delta: 0.123,
        interval: null,
        significant: true,
      },
      {
        metric: "engagement",
        baseline: "control",
        variant: "bright",
        delta: 0.2,
        interval: null,
        significant: false,
      },
    ];
    expect(digestOf({ differences }).recommendation).toBe(
      "No variant leads, but these differences are certain: in bright, the crash rate is 12.3 points above that in control.",
    );
  });

  it("does not tell to keep running what is stopped, or was never started", () => {
    const stopped = (more: Partial<VariantComparison>) =>
      digestOf(more, { status: "stopped" }).recommendation;
    expect(stopped({})).toBe(
      "It was stopped without a result: no difference is certain. Resume it if the answer still matters.",
    );
    expect(stopped({ variants: of(12) })).toMatch(
      /^It was stopped without a result: .* 12 of the 30 players/,
    );
    expect(stopped({ leader: "bright" })).toMatch(/^Ship The bright:/);
    expect(digestOf({ variants: of(0) }, { status: "draft" }).recommendation).toMatch(/^Start it:/);
  });

  it("holds a declared winner against the numbers", () => {
    const won = (more: Partial<VariantComparison>) =>
      digestOf(more, { status: "stopped", winnerVariantKey: "bright" }).recommendation;
    expect(won({ leader: "bright" })).toMatch(/^The bright was declared the winner, and the numbers bear/);
    expect(won({ leader: "control" })).toMatch(/winner, but The control leads:/);
    expect(won({})).toMatch(/winner; the numbers do not bear that out: no difference is certain\.$/);
    expect(won({ variants: of(12) })).toMatch(/winner; the numbers cannot bear that out: .* 12 of the 30/);
    expect(won({ sampleRatio: skewed, leader: "bright" })).toMatch(/cannot bear that out: .*p = 4\.3e-8/);
  });

  it("has a headline a variant, with what is known of it alone", () => {
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
          "250 players in 300 sessions; came back: 40 % on day 1; 61 % of the time was active; 10 % of sessions crashed; most friction: getting stuck in cave.",
      },
      { key: "bright", headline: "Nobody has played it yet." },
    ]);
  });

  it("names the themes that every variant has", () => {
    const cluster = (tag: string) => ({ type: "t", tag, count: 1 });
    const [own, shared, liked] = ["confusion:map", "stuck-point:cave", "praise:feedback-fun"];
    const variants = [
      variant("control", { topFriction: [cluster(own), cluster(shared)], topPraise: [cluster(liked)] }),
      variant("bright", { topFriction: [cluster(shared)], topPraise: [cluster(liked), cluster("q:4")] }),
    ];
    expect(digestOf({ variants }).sharedThemes).toEqual(["getting stuck in cave", "happy answers to “fun”"]);
  });

  it("tells how the mood moved from the first variant's", () => {
    const mood = (key: string, positive: number, negative: number) => ({
      key,
      positive,
      negative,
      insights: 9,
    });
    const moods = [mood("a", 4, 6), mood("b", 5, 5), mood("c", 1, 3), mood("d", 49, 51), mood("e", 0, 0)];
    expect(describeSentimentShift(moods)).toBe(
      "In a, 40 % of the findings are positive; b is more positive by 10 points; c is more negative by 15 points; " +
        "d is about the same; in e nothing was found.",
    );
    expect(describeSentimentShift([mood("a", 0, 0), mood("b", 1, 0)])).toMatch(/^Nothing was found/);
  });
});

describe("a digest that was generated", () => {
  it("knows whether the experiment still runs, and who won it", async () => {
    const service = await startTestService();
    await service.addGame("maze");
    const id = await experiment(service, "maze");
    const said = async () => {
      const { digest } = await alter(service, id, (db, row) => generateDigest(db, row, NOW));
      return digest.recommendation;
    };
    expect(await said()).toMatch(/^Keep it running:/);
    await alter(service, id, (db, row) => stopExperiment(db, row, NOW));
    expect(await said()).toMatch(/^It was stopped without a result:/);
    await alter(service, id, (db, row) => declareWinner(db, row, "bright"));
    expect(await said()).toMatch(/^Brighter caves was declared the winner;/);
    await service.stop();
  });

  it("is kept beside the comparison, and replaced by the next", async () => {
    const service = await startTestService();
    await service.addGame("maze");
    const id = await experiment(service, "maze");
    await sit(service, "maze", { at: NOW - 1000, deviceId: "a", tags: { [id]: "control" } });
    const made = await alter(service, id, (db, row) => generateDigest(db, row, NOW));
    expect((await compare(service, id)).digest).toEqual(made);
    expect(made).toMatchObject({ status: "ok", confidenceLabel: "insufficient", generatedAt: NOW });
    expect(made.digest.perVariant[0]?.headline).toContain("1 player in 1 session;");
    await alter(service, id, (db, row) => generateDigest(db, row, NOW + 5, builtinProvider));
    expect((await compare(service, id)).digest).toMatchObject({ status: "degraded", generatedAt: NOW + 5 });
    await service.stop();
  });
});
