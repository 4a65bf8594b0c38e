/** The digest by rules: how far it believes the comparison, and what it says of it. */
import { describe, expect, it, test } from "vitest";
import type { ComparedVariant, Comparison } from "../../../src/contract/experiments.ts";
import {
  confidenceOf,
  digestByRules,
  generateDigest,
  sentimentShiftOf,
} from "../../../src/server/experiments/digest.ts";
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

function comparison(more: Partial<Comparison> = {}): Comparison {
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
const digestOf = (more: Partial<Comparison>) =>
  digestByRules({ comparison: comparison(more), moods: [] }).digest;
const skewed = { chiSquare: 30, pValue: 4.3e-8, expected: [250, 250], warning: true };
const crossed = { devices: 20, share: 0.04, warning: true };

describe("the confidence", () => {
  test.each<[string, Partial<Comparison>]>([
    ["insufficient", { variants: of(29), leader: "bright" }],
    ["low", { variants: of(30), leader: "bright" }],
    ["low", { variants: of(99) }],
    ["medium", { variants: of(100), leader: "bright" }],
    ["medium", { variants: of(199), leader: "bright" }],
    ["high", { variants: of(200), leader: "bright" }],
    ["medium", { variants: of(200) }],
    ["insufficient", { sampleRatio: skewed }],
    ["low", { crossovers: crossed, leader: "bright" }],
  ])("is %s", (label, more) => expect(confidenceOf(comparison(more))).toBe(label));
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
      "No variant leads, but these differences are certain: crash-rate of bright is 12.3 points above control.",
    );
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
          "250 players in 300 sessions, 40 % back on day 1, 61 % engaged, 10 % of sessions crashed, most friction: stuck-point:cave.",
      },
      { key: "bright", headline: "Nobody has played it yet." },
    ]);
  });

  it("names the themes that every variant has", () => {
    const cluster = (tag: string) => ({ type: "t", tag, count: 1 });
    const variants = [
      variant("control", { topFriction: [cluster("a:1"), cluster("b:2")], topPraise: [cluster("p:3")] }),
      variant("bright", { topFriction: [cluster("b:2")], topPraise: [cluster("p:3"), cluster("q:4")] }),
    ];
    expect(digestOf({ variants }).sharedThemes).toEqual(["b:2", "p:3"]);
  });

  it("tells how the mood moved from the first variant's", () => {
    const mood = (key: string, positive: number, negative: number) => ({
      key,
      positive,
      negative,
      insights: 9,
    });
    const moods = [mood("a", 4, 6), mood("b", 5, 5), mood("c", 1, 3), mood("d", 49, 51), mood("e", 0, 0)];
    expect(sentimentShiftOf(moods)).toBe(
      "a is 40 % positive; b is more positive than a by 10 points; c is more negative than a by 15 points; " +
        "d feels like a; nothing was found in e.",
    );
    expect(sentimentShiftOf([mood("a", 0, 0), mood("b", 1, 0)])).toMatch(/^Nothing was found/);
  });
});

describe("a digest that was generated", () => {
  it("is kept beside the comparison, and replaced by the next", async () => {
    const service = await startTestService();
    await service.addGame("maze");
    const id = await experiment(service, "maze");
    await sit(service, "maze", { at: NOW - 1000, deviceId: "a", tags: { [id]: "control" } });
    const made = await alter(service, id, (db, row) => generateDigest(db, row, NOW));
    expect((await compare(service, id)).digest).toEqual(made);
    expect(made).toMatchObject({ status: "ok", confidenceLabel: "insufficient", generatedAt: NOW });
    expect(made.digest.perVariant[0]?.headline).toContain("1 player in 1 session,");
    await alter(service, id, (db, row) => generateDigest(db, row, NOW + 5, "degraded"));
    expect((await compare(service, id)).digest).toMatchObject({ status: "degraded", generatedAt: NOW + 5 });
    await service.stop();
  });
});
