/** The binomial distribution against exact sums. */
import { expect, test } from "vitest";
import { binomialTail } from "../../src/statistics/binomial.ts";

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
