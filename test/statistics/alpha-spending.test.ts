/** Repeated tests: their levels add up to the whole, and tests are due at quarters of the plan. */
import { describe, expect, test } from "vitest";
import { nextLevel, nextLook, type SpentLevel, spendingAt } from "../../src/statistics/alpha-spending.ts";

test("spends the significance level by the O'Brien-Fleming function of Lan and DeMets", () => {
  // 2 - 2 * Phi(1.95996 / sqrt(t)).
  expect(spendingAt(10, 40, 0.05)).toBeCloseTo(0.00009, 5);
  expect(spendingAt(20, 40, 0.05)).toBeCloseTo(0.00557, 5);
  expect(spendingAt(30, 40, 0.05)).toBeCloseTo(0.02362, 4);
  expect(spendingAt(40, 40, 0.05)).toBe(0.05);
  expect(spendingAt(60, 40, 0.05)).toBe(0.05);
  expect(spendingAt(0, 40, 0.05)).toBe(0);
});

describe("with 40 planned testers", () => {
  /** The levels of all tests if the gate runs at these numbers of testers. */
  function runAt(sizes: readonly number[]): [testers: number, level: number][] {
    let last: SpentLevel | null = null;
    const tests: [number, number][] = [];
    for (const testers of sizes) {
      const level = nextLevel(last, testers, 40, 0.05);
      if (level === null) continue;
      tests.push([testers, level]);
      const spent: number = tests.reduce((sum, [, one]) => sum + one, 0);
      last = { testers, spent };
    }
    return tests;
  }

  test("tests at every quarter, and never after the last", () => {
    const tests = runAt(Array.from({ length: 80 }, (_, at) => at + 1));
    expect(tests.map(([testers]) => testers)).toEqual([10, 20, 30, 40]);
    expect(tests.reduce((sum, [, level]) => sum + level, 0)).toBeCloseTo(0.05, 12);
  });

  test("catches up if many testers arrive at once", () => {
    const tests = runAt([3, 27, 28, 100, 200]);
    expect(tests.map(([testers]) => testers)).toEqual([27, 100]);
    expect(tests.reduce((sum, [, level]) => sum + level, 0)).toBeCloseTo(0.05, 12);
  });

  test("names the next test", () => {
    expect([0, 9, 10, 29, 39, 40, 50].map((testers) => nextLook(testers, 40))).toEqual([
      10,
      10,
      20,
      30,
      40,
      null,
      null,
    ]);
  });
});
