/** The lead: which variant is ahead, and whether its guardrail metric allows it to be the leader. */
import { describe, expect, it, test } from "vitest";
import { computeDifferences } from "../../../src/server/experiments/differences.ts";
import { planMetrics } from "../../../src/server/experiments/experiment-plan.ts";
import { findLead, findLeader } from "../../../src/server/experiments/lead.ts";
import type { VariantRates } from "../../../src/server/experiments/metrics.ts";
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

describe("the lead", () => {
  it("names the variant that is ahead of all others, with its difference from the closest", () => {
    const variants = [variant("a", 300, 0, 1000), variant("b", 650, 0, 1000), variant("c", 400, 0, 1000)];
    expect(findLead(variants)).toMatchObject({ variant: "b", metric: "retention-1", over: "c", delta: 0.25 });
    expect(findLead([variant("a", 300, 0, 1000), variant("b", 310, 0, 1000)])).toBeNull();
  });

  it("requires 30 players with known retention in every variant", () => {
    expect(findLead([variant("a", 0, 0, 29), variant("b", 30, 0, 30)])).toBeNull();
    expect(findLead([variant("a", 0, 0, 30), variant("b", 30, 0, 30)])?.variant).toBe("b");
  });

  test.each<[string, number, number]>([
    ["safe", 0, 1000],
    ["unknown", 0, 300],
    ["unknown", 7, 1000],
    ["worse", 60, 1000],
  ])("is %s with %i crashes of %i players, if the other variant has none", (status, crashed, players) => {
    const variants = [variant("a", players * 0.3, 0, players), variant("b", players * 0.7, crashed, players)];
    const lead = findLead(variants);
    expect(lead?.guardrail).toMatchObject({ metric: "crash-rate", margin: 0.01, status });
    expect(findLeader(lead)).toBe(status === "safe" ? "b" : null);
  });

  it("must be safe compared with every other variant", () => {
    const safe = [variant("a", 300, 40, 2000), variant("b", 900, 40, 2000)];
    const crashing = variant("c", 300, 400, 2000);
    const stable = variant("c", 300, 0, 2000);
    expect(findLead([...safe, crashing])?.guardrail.status).toBe(findLead(safe)?.guardrail.status);
    expect(findLead([...safe, stable])?.guardrail.status).toBe("worse");
  });

  it("is early until the planned number of players is reached", () => {
    const players = 1000;
    const variants = [variant("a", 300, 0, players), variant("b", 600, 0, players)];
    const planned = planMetrics(variants)[0]?.players[0] ?? 0;
    expect(planned).toBeGreaterThan(players);
    expect(findLead(variants)?.early).toBe(true);
    const late = [variant("a", 3000, 0, 10_000), variant("b", 6000, 0, 10_000)];
    expect(findLead(late)?.early).toBe(false);
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

describe("the plan", () => {
  it("has default rates and no detectable difference without players", () => {
    expect(planMetrics([variant("a", 0, 0, 0), variant("b", 0, 0, 0)])).toMatchObject([
      { metric: "retention-1", rate: 0.5, rateAssumed: true, difference: 0.05, power: 0.8, detectable: null },
      { metric: "crash-rate", rate: 0.01, rateAssumed: true, difference: 0.01, power: 0.8, detectable: null },
    ]);
  });

  it("uses the default rate of crashes until there is one, and marks it", () => {
    const rateOf = (crashed: number) =>
      planMetrics([variant("a", 10, crashed, 50), variant("b", 10, 0, 50)]).map(({ rate, rateAssumed }) => [
        rate,
        rateAssumed,
      ]);
    expect(rateOf(0)).toEqual([
      [0.2, false],
      [0.01, true],
    ]);
    expect(rateOf(3)).toEqual([
      [0.2, false],
      [0.03, false],
    ]);
  });

  it("plans the number of players for which the planned difference is detectable", () => {
    const first = planMetrics([variant("a", 0, 0, 0), variant("b", 0, 0, 0)])[0]?.players[0] ?? 0;
    const half = Math.floor(first / 2);
    const measured = planMetrics([variant("a", half, 0, first), variant("b", half, 0, first)])[0];
    expect(measured?.players[0]).toBeCloseTo(first, -2);
    expect(measured?.detectable).toBeCloseTo(0.05, 4);
  });

  it("follows the allocation", () => {
    const [even] = planMetrics([variant("a", 0, 0, 0), variant("b", 0, 0, 0)]);
    const [uneven] = planMetrics([variant("a", 0, 0, 0, 0.9), variant("b", 0, 0, 0, 0.1)]);
    const [large = 0, small = 0] = uneven?.players ?? [];
    expect(large / small).toBeCloseTo(9, 1);
    expect(large + small).toBeGreaterThan(2 * (even?.players[0] ?? 0));
  });
});
