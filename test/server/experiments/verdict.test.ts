/** The verdict: ship, stop or keep running, with the lead, the guards and the needed players that it rests on. */
import { describe, expect, it, test } from "vitest";
import type { VariantScorecard } from "../../../src/contract/experiments.ts";
import { computeDifferences } from "../../../src/server/experiments/differences.ts";
import { computeMargin } from "../../../src/server/experiments/lead.ts";
import type { VariantRates } from "../../../src/server/experiments/metrics.ts";
import { planPlayers } from "../../../src/server/experiments/needed-players.ts";
import { decideVerdict, type VerdictInput } from "../../../src/server/experiments/verdict.ts";
import { estimateRate, type RateContribution, sumContributions } from "../../../src/statistics/rates.ts";

const shares = (yes: number, of: number): RateContribution[] =>
  Array.from({ length: of }, (_, at) => ({ part: at < yes ? 1 : 0, whole: 1 }));
const estimate = (yes: number, of: number) => estimateRate(sumContributions(shares(yes, of)));

/** A variant: the players who return of all players, and the sessions with a crash, one session per player. */
function variant(key: string, returned: number, crashed: number, players: number, share = 0.5): VariantRates {
  const none = estimateRate(sumContributions([]));
  return {
    key,
    share,
    rates: {
      "retention-1": estimate(returned, players),
      "retention-2": none,
      "retention-7": none,
      "crash-rate": estimate(crashed, players),
      engagement: none,
    },
  };
}

const side = (count: number, total: number) => ({ count, total, value: count / total });

/** The scorecard of a variant with one worse row of friction. */
const worseIn = (key: string, a: [number, number], b: [number, number]): VariantScorecard => ({
  ...{ variant: key, baseline: "a", level: 0.003 },
  rows: [
    {
      ...{
        id: "difficulty-spike:cave",
        title: "Difficulty spike in cave",
        metric: "friction:difficulty-spike:cave",
      },
      ...{
        name: "friction",
        subject: "difficulty-spike:cave",
        room: "cave",
        family: "friction",
        worse: "more",
      },
      ...{ unit: "share", decides: true, status: "worse", reason: null, isNewRoom: false, isRareInA: false },
      ...{ isIntroduced: false, restsOnPractice: false, a: side(...a), b: side(...b), paired: 0, limit: 0.1 },
      ...{
        difference: b[0] / b[1] - a[0] / a[1],
        range: null,
        noticed: null,
        pValue: 0.001,
        adjustedPValue: 0.001,
      },
    },
  ],
});

const decide = (variants: readonly VariantRates[], more: Partial<VerdictInput> = {}) =>
  decideVerdict({
    ...{ variants, scorecards: [], blocker: null, shipBlocker: null, crashMargin: null, status: "running" },
    ...more,
  });

describe("a verdict", () => {
  it("ships the variant that leads with enough players and nothing worse", () => {
    expect(decide([variant("a", 300, 20, 1000), variant("b", 600, 20, 1000)])).toMatchObject({
      ...{ decision: "ship", variant: "b", reason: "b leads, and nothing speaks against it" },
      lead: { variant: "b", over: "a", delta: 0.3, early: false },
      guards: [{ variant: "b", metric: "crash-rate", status: "ruled out", safe: true }],
    });
  });

  it("keeps running while the lead is early, crashes may rise, or play is not analyzed", () => {
    expect(decide([variant("a", 10, 0, 40), variant("b", 32, 0, 40)])).toMatchObject({
      ...{ decision: "keep running", variant: "b", reason: "b leads, too few players to ship" },
      lead: { early: true },
    });
    const variants = [variant("a", 300, 20, 1000), variant("b", 600, 40, 1000)];
    expect(decide(variants).reason).toBe("b leads, but more crashes are not ruled out");
    expect(decide(variants, { crashMargin: 0.06 }).decision).toBe("ship");
    const unanalyzed = { crashMargin: 0.06, shipBlocker: "9 of 20 sessions are not analyzed yet" };
    expect(decide(variants, unanalyzed).reason).toBe("b leads, but 9 of 20 sessions are not analyzed yet");
  });

  it("stops if the first variant leads, or every other one is worse", () => {
    expect(decide([variant("a", 600, 0, 1000), variant("b", 300, 0, 1000)])).toMatchObject({
      ...{ decision: "stop", variant: "a", reason: "a leads" },
    });
    expect(decide([variant("a", 300, 0, 1000), variant("b", 600, 90, 1000)])).toMatchObject({
      ...{ decision: "stop", variant: "a", reason: "b is worse: Crashes" },
    });
    const scorecards = [worseIn("b", [31, 89], [26, 40])];
    expect(decide([variant("a", 300, 0, 1000), variant("b", 600, 0, 1000)], { scorecards })).toMatchObject({
      ...{ decision: "stop", reason: "b is worse: Difficulty spike in cave" },
    });
    const three = [variant("a", 300, 0, 1000), variant("b", 310, 0, 1000), variant("c", 310, 0, 1000)];
    expect(decide(three, { scorecards })).toMatchObject({
      ...{ decision: "keep running", reason: "no variant leads; b is worse: Difficulty spike in cave" },
    });
  });

  it("ignores a change for the worse within the margin", () => {
    const scorecards = [worseIn("b", [400, 1000], [480, 1000])];
    expect(decide([variant("a", 300, 0, 1000), variant("b", 600, 0, 1000)], { scorecards }).decision).toBe(
      "ship",
    );
  });

  it("stops once no variant can be 5 points better", () => {
    const alike = (players: number) => [
      variant("a", players * 0.3, 0, players),
      variant("b", players * 0.3, 0, players),
    ];
    expect(decide(alike(1000)).reason).toBe("no variant leads");
    expect(decide(alike(20_000))).toMatchObject({
      ...{ decision: "stop", variant: "a", reason: "no variant brings back 5 points more players" },
    });
  });

  it("names what keeps the figures from being used, and a stop that was too early", () => {
    const variants = [variant("a", 300, 0, 1000), variant("b", 600, 0, 1000)];
    expect(decide(variants, { blocker: "players are missing" })).toMatchObject({
      ...{ decision: "keep running", reason: "players are missing", lead: null },
    });
    expect(decide([variant("a", 0, 0, 29), variant("b", 30, 0, 30)], { status: "stopped" }).reason).toBe(
      "it stopped too early: the smallest variant has 29 players who joined 2 or more days ago, 30 are needed",
    );
  });

  it("compares a lead with the closest other variant", () => {
    const variants = [variant("a", 300, 0, 1000), variant("b", 650, 0, 1000), variant("c", 400, 0, 1000)];
    expect(decide(variants).lead).toMatchObject({
      variant: "b",
      metric: "retention-1",
      over: "c",
      delta: 0.25,
    });
  });
});

describe("a guard", () => {
  test.each<[string, boolean, number, number]>([
    ["better", true, 150, 20],
    ["ruled out", true, 100, 100],
    ["unclear", false, 20, 40],
    ["worse", false, 20, 90],
  ])("is %s (safe: %s) if the crashes of 1,000 players go from %i to %i", (status, safe, before, after) => {
    const { guards } = decide([variant("a", 300, before, 1000), variant("b", 300, after, 1000)]);
    expect(guards).toMatchObject([{ status, safe, margin: computeMargin(before / 1000) }]);
  });

  it("has a margin of 2 points, or of half of a larger rate", () => {
    expect([0, 0.01, 0.04, 0.07, 0.5].map(computeMargin)).toEqual([0.02, 0.02, 0.02, 0.035, 0.25]);
  });

  it("is safe at once if the crash rate fell from 7.1% to 0.6% of the sessions of 150 players", () => {
    const crashes = (crashed: number, sessions: number, players: number) =>
      estimateRate(
        sumContributions(
          Array.from({ length: players }, (_, at) => ({
            part: at < crashed ? 1 : 0,
            whole: sessions / players,
          })),
        ),
      );
    const [a, b] = [variant("a", 26, 0, 79), variant("b", 47, 0, 71)];
    const { guards } = decide([
      { ...a, rates: { ...a.rates, "crash-rate": crashes(9, 127, 79) } },
      { ...b, rates: { ...b.rates, "crash-rate": crashes(1, 171, 71) } },
    ]);
    expect(guards).toMatchObject([{ safe: true }]);
  });
});

describe("differences", () => {
  it("correct the metrics that do not decide, separately from the primary metric", () => {
    const differences = computeDifferences([variant("a", 300, 10, 1000), variant("b", 400, 60, 1000)]);
    const find = (metric: string) => differences.find((difference) => difference.metric === metric);
    expect(differences.map(({ role }) => role)).toEqual([
      "primary",
      "secondary",
      "secondary",
      "guardrail",
      "secondary",
    ]);
    expect(find("retention-1")?.adjustedPValue).toBe(find("retention-1")?.pValue);
    expect(find("crash-rate")?.adjustedPValue).toBeCloseTo((find("crash-rate")?.pValue ?? 1) * 4, 12);
    expect(find("engagement")).toMatchObject({ interval: null, pValue: null, adjustedPValue: null });
  });
});

describe("the needed players", () => {
  const none = { lead: null, guards: [] };

  it("are those of assumed rates until they can be measured", () => {
    const start = planPlayers([variant("a", 0, 0, 0), variant("b", 0, 0, 0)], none);
    expect(start).toMatchObject({ soughtDifference: 0.05, rateAssumed: true });
    expect(planPlayers([variant("a", 150, 0, 300), variant("b", 150, 0, 300)], none)).toEqual({
      ...{ ...start, rateAssumed: false, playersNeeded: [expect.any(Number), expect.any(Number)] },
    });
    const rare = planPlayers([variant("a", 15, 0, 300), variant("b", 15, 0, 300)], none);
    expect(rare.playersNeeded[0]).toBeLessThan((start.playersNeeded[0] ?? 0) / 3);
  });

  it("are fewer for half of a large lead, and more for a guard that is unclear", () => {
    const variants = [variant("a", 26, 5, 79), variant("b", 47, 5, 71)];
    const few = planPlayers(variants, { lead: { delta: 0.33 }, guards: [] });
    expect(few.soughtDifference).toBeCloseTo(0.165, 12);
    expect(few.playersNeeded[0]).toBeLessThan(300);
    const unclear = {
      variant: "b",
      metric: "crash-rate",
      margin: 0.02,
      upperBound: 0.2,
      status: "unclear",
      safe: false,
    };
    const more = planPlayers(variants, { lead: { delta: 0.33 }, guards: [unclear] });
    expect(more.playersNeeded[0]).toBeGreaterThan(1000);
  });

  it("follow the allocation", () => {
    const even = planPlayers([variant("a", 0, 0, 0), variant("b", 0, 0, 0)], none).playersNeeded;
    const [large = 0, small = 0] = planPlayers(
      [variant("a", 0, 0, 0, 0.9), variant("b", 0, 0, 0, 0.1)],
      none,
    ).playersNeeded;
    expect(large / small).toBeCloseTo(9, 1);
    expect(large + small).toBeGreaterThan(2 * (even[0] ?? 0));
  });
});
