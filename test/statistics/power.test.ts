/** The power of Fisher's test, and the binomial distribution it follows from, against exact sums. */
import { expect, test } from "vitest";
import { binomialTail } from "../../src/statistics/binomial.ts";
import { fisherPValue } from "../../src/statistics/fisher.ts";
import { computePower, findEnoughTesters, findNoticedTesters } from "../../src/statistics/power.ts";

// Sums of exact binomial probabilities.
test.each([
  [10, 0.5, 8, 0.0546875],
  [20, 0.1, 3, 0.323073194810534],
  [20, 0.4, 5, 0.9490480468058335],
  [100, 0.5, 60, 0.0284439668204904],
  [5, 0.3, 0, 1],
  [5, 0.3, 6, 0],
  [5, 1, 5, 1],
])("of %i trials at %d, at least %i succeed with probability %d", (trials, probability, least, tail) => {
  expect(binomialTail(trials, probability, least)).toBeCloseTo(tail, 11);
});

const alone = { tables: [], testersA: 20, testersB: 20, level: 0.05, maxIncreasePoints: 0 };

test("without other outcomes, the smallest significant table decides", () => {
  // 5 of 20 after 0 of 20 has p = 0.0236, and 4 of 20 has 0.0530.
  const p = (testersB: number) => fisherPValue({ testersA: 0, totalA: 20, testersB, totalB: 20 });
  expect(p(5)).toBeLessThan(0.05);
  expect(p(4)).toBeGreaterThan(0.05);
  expect(findNoticedTesters(alone)).toBe(5);
  expect(computePower(alone, 0.4)).toBeCloseTo(0.9490480468058335, 11);
});

test("no number of testers is enough if nobody may notice, and one more than enough is still enough", () => {
  expect(findNoticedTesters({ ...alone, testersB: 0 })).toBeNull();
  expect(computePower({ ...alone, testersA: 1, testersB: 1 }, 1)).toBe(0);
  const enough = findEnoughTesters(alone, 0.4, 0.9) ?? 0;
  const sized = (testers: number) => computePower({ ...alone, testersA: testers, testersB: testers }, 0.4);
  expect(sized(enough)).toBeGreaterThanOrEqual(0.9);
  expect(sized(enough - 1)).toBeLessThan(0.9);
});
