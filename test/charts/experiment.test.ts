/** What the comparison of an experiment shows, in words. */
import { describe, expect, it } from "vitest";
import {
  answerExperiment,
  describeNeeded,
  listFigures,
  listRows,
  selectRows,
} from "../../src/charts/experiment.ts";
import type { ExperimentVerdict, VariantComparison } from "../../src/contract/experiments.ts";
import { responseBodies } from "../client/response-fixtures.ts";

const variant = (key: string, rate: number, crashRate: number) => ({
  ...{ key, name: key, allocation: 50, sessionCount: 1000, playerCount: 1000, crashRate, engagementPct: 50 },
  retention: [{ day: 1, eligible: 900, retained: 900 * rate, rate }],
  ...{ topFriction: [], topPraise: [], sampleQuotes: [] },
});
const guard = (key: string, status: string, safe: boolean) => ({
  ...{ variant: key, metric: "crash-rate", margin: 0.02, upperBound: 0.01, status, safe },
});
const compared = (
  verdict: Partial<ExperimentVerdict>,
  more: Partial<VariantComparison> = {},
): VariantComparison => ({
  ...{ experimentId: "exp_1", gameId: "game_1", generatedAt: 0 },
  variants: [variant("control", 0.3, 0.02), variant("bright", 0.42, 0.01)],
  verdict: {
    ...{ decision: "keep running", variant: null, reason: "no variant leads", lead: null, guards: [] },
    ...{ playersNeeded: [1234, 1234], soughtDifference: 0.05, rateAssumed: false, ...verdict },
  },
  ...more,
});
const lead = (key: string, early: boolean) => ({
  ...{ variant: key, metric: "retention-1", over: "control", delta: 0.12, early },
  interval: { low: 0.03, high: 0.21 },
});
const notes = (comparison: VariantComparison) => listFigures(comparison).map(({ note }) => note);

describe("the figures of an experiment", () => {
  it("have one value for each variant, and the change of two", () => {
    expect(listFigures(compared({ guards: [guard("bright", "ruled out", true)] }))).toMatchObject([
      { label: "Players", values: ["1,000", "1,000"], change: null },
      { label: "Back on day 1", values: ["30%", "42%"], change: "+12 pts", note: "too few players" },
      { values: ["2.0%", "1.0%"], change: "-1.0 pts", note: "a rise above 4.0% is ruled out" },
    ]);
  });

  it("say which variant leads, and which may crash more often", () => {
    expect(notes(compared({ lead: lead("bright", true) }))[1]).toBe("ahead, early: expect less");
    expect(notes(compared({ lead: lead("control", false) }))[1]).toBe("behind");
    expect(notes(compared({ guards: [guard("bright", "worse", false)] }))[2]).toBe("worse");
    const three = {
      variants: [variant("control", 0.3, 0.02), variant("bright", 0.4, 0.02), variant("dark", 0.3, 0.03)],
    };
    const guards = [guard("bright", "ruled out", true), guard("dark", "unclear", false)];
    expect(notes(compared({ lead: lead("bright", false), guards }, three))).toEqual([
      null,
      "bright is ahead",
      "a rise above 4.0% is not ruled out in dark",
    ]);
  });

  it("name the players that are enough while there are fewer", () => {
    expect(describeNeeded(compared({}))).toBe("Enough players: about 1,200 per variant");
    expect(describeNeeded(compared({ playersNeeded: [5111, 1111] }))).toBe(
      "Enough players: about 5,100 in control, 1,100 in bright",
    );
    expect(describeNeeded(compared({ playersNeeded: [900, 900] }))).toBeNull();
    expect(describeNeeded(compared({ decision: "ship" }))).toBeNull();
  });

  it("come from services without a verdict, and with decisions of a newer one", () => {
    const { verdict: _, ...document } = compared({});
    expect(answerExperiment(document)).toMatchObject({ decision: "not judged" });
    expect(notes(document)).toEqual([null, null, null]);
    expect(answerExperiment(compared({ decision: "pause" }))).toMatchObject({ decision: "pause", mark: "◐" });
  });
});

describe("the rows of a variant", () => {
  const { comparison } = responseBodies.getExperimentComparison as { comparison: VariantComparison };
  const [scorecard] = comparison.scorecards ?? [];

  it("leave out what only a newer service knows", () => {
    if (scorecard == null) throw new Error("The fixture has no scorecard");
    const [row] = scorecard.rows;
    if (row === undefined) throw new Error("The fixture has no row");
    const newer = { ...scorecard, rows: [row, { ...row, family: "mood" }] };
    expect(listRows(newer).map(({ id, status }) => [id, status])).toEqual([["quit:cave", "worse"]]);
    const played = { ...comparison, variants: [variant("control", 0, 0), variant("bright", 0, 0)] };
    expect(selectRows(newer, played)).toHaveLength(1);
  });
});
