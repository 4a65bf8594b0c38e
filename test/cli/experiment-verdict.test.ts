/** The verdict of `experiments compare` in words. */
import { describe, expect, it } from "vitest";
import type { Lead, VariantComparison } from "../../src/contract/experiments.ts";
import { describeVerdict } from "../../src/render/tables/experiment-verdict.ts";

const variant = (key: string, eligible = 900) => ({
  ...{ key, name: key === "bright" ? "Brighter caves" : key, allocation: 50, sessionCount: 1000 },
  retention: [{ day: 1, eligible, retained: 300, rate: 0.3 }],
  ...{ engagementPct: 50, crashRate: 0, topFriction: [], topPraise: [], sampleQuotes: [], playerCount: 1000 },
});
const compared = (more: Partial<VariantComparison>): VariantComparison => ({
  ...{ experimentId: "exp_1", gameId: "game_1", generatedAt: 0 },
  variants: [variant("control"), variant("bright")],
  ...more,
});
const lead = (status: string, upperBound: number, early = false): Lead => ({
  ...{ variant: "bright", metric: "retention-1", over: "control", delta: 0.12, early },
  interval: { low: 0.031, high: 0.209 },
  guardrail: { metric: "crash-rate", margin: 0.01, upperBound, status },
});

describe("the verdict", () => {
  it("names a leader with the interval of its lead and the limit of its crash rate", () => {
    expect(describeVerdict(compared({ leader: "bright", lead: lead("safe", 0.0083) }))).toEqual({
      text: "Variant bright (“Brighter caves”) leads: 12.0 percentage points more of its players return on day 1 than in control (interval: +3.1 to +20.9). Its crash rate is at most 0.8 points higher (limit: 1.0).",
      style: "good",
      note: null,
    });
  });

  it("marks an early lead and gives the lower end of its interval", () => {
    expect(describeVerdict(compared({ lead: lead("safe", 0.0083, true) })).note).toContain(
      "plan with the lower end of the interval: 3.1 points.",
    );
  });

  it("says that it is not known whether sessions crash more often, or that they do", () => {
    expect(describeVerdict(compared({ lead: lead("unknown", 0.023) })).text).toMatch(
      /^No leader yet: .* it is not known whether .* could still be up to 2\.3 points higher, and a leader needs less than 1\.0\./,
    );
    expect(describeVerdict(compared({ lead: lead("worse", 0.05) }))).toMatchObject({
      text: expect.stringMatching(/^No leader yet: .* its sessions crash more often, by up to 5\.0 points/),
      style: "bad",
    });
  });

  it("counts players whose return on day 1 is known, not all players", () => {
    expect(describeVerdict(compared({ variants: [variant("control", 12), variant("bright")] })).text).toBe(
      "Not enough data: at least 30 players of each variant must have joined 2 or more days ago. The smallest variant has 12.",
    );
  });

  it("names the leader of a service that reports no lead", () => {
    expect(describeVerdict(compared({ leader: "bright" })).text).toBe(
      "Variant bright (“Brighter caves”) leads: more of its players return on day 1.",
    );
  });
});
