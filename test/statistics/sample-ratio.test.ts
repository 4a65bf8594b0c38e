/** The sample ratio check against a published mismatch and hand-computed power. */
import { describe, expect, it } from "vitest";
import { checkSampleRatio } from "../../src/statistics/sample-ratio.ts";

describe("the sample ratio check", () => {
  const even = [0.5, 0.5];

  // Fabijan et al., "Diagnosing sample ratio mismatch in online controlled experiments", KDD 2019, introduction:
  // 821,588 against 815,482 users at 50/50 has a p-value of 1.8e-6.
  it("finds the published mismatch", () => {
    const ratio = checkSampleRatio(even, [821_588, 815_482]);
    expect(ratio?.pValue).toBeGreaterThan(1.75e-6);
    expect(ratio?.pValue).toBeLessThan(1.85e-6);
    expect(ratio?.warning).toBe(true);
  });

  it("expects each group's share of all players", () => {
    const ratio = checkSampleRatio([0.75, 0.25], [75, 25]);
    expect(ratio).toMatchObject({ chiSquare: 0, pValue: 1, expected: [75, 25], warning: false });
  });

  it("warns only below p = 0.001 and with at least 8 expected players in every group", () => {
    expect(checkSampleRatio(even, [70, 30])?.warning).toBe(true);
    expect(checkSampleRatio(even, [60, 40])?.warning).toBe(false);
    const few = checkSampleRatio(even, [15, 0]);
    expect([few?.warning, (few?.pValue ?? 1) < 0.001]).toEqual([false, true]);
    expect(checkSampleRatio(even, [16, 0])?.warning).toBe(true);
  });

  it("returns null without players and for a single group", () => {
    expect(checkSampleRatio(even, [0, 0])).toBeNull();
    expect(checkSampleRatio([1], [9])).toBeNull();
  });

  it("reports which losses it can notice", () => {
    const sensitivity = (players: number) => checkSampleRatio(even, [players, players])?.sensitivity;
    // z = 0.025 / 1.95 * sqrt(5000) = 1.813 against the critical 3.291: the normal tail above 1.478 is 6.97%.
    expect(sensitivity(2500)?.power).toBeCloseTo(0.0697, 3);
    expect(sensitivity(2500)).toMatchObject({ loss: 0.05, detectableLoss: 0.111 });
    expect(sensitivity(50_000)?.power).toBeGreaterThan(0.99);
    expect(sensitivity(7)).toEqual({ loss: 0.05, power: 0, detectableLoss: null });
  });

  it("reports the power for the group whose loss is hardest to notice", () => {
    const uneven = checkSampleRatio([0.9, 0.1], [4500, 500]);
    // Losing 5% of the small group: z = 0.05 * sqrt(500 * 0.9) / (1 - 0.005) = 1.066.
    expect(uneven?.sensitivity.power).toBeCloseTo(0.0131, 3);
  });
});
