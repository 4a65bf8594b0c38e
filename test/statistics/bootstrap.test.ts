/** Intervals by resampling: exact for the same seed, symmetric, and wider for small samples. */
import { expect, test } from "vitest";
import { bootstrapInterval, expandTail } from "../../src/statistics/bootstrap.ts";
import { createRandom } from "../../src/statistics/random.ts";

const values = [3, 9, 1, 7, 5, 8, 2, 6, 4, 10];
const mean = ([draws = new Uint32Array()]: readonly Uint32Array[]) =>
  values.reduce((sum, value, at) => sum + value * (draws[at] ?? 0), 0) / values.length;

test("gives the same interval for the same data and seed", () => {
  const interval = bootstrapInterval([10], mean);
  expect(bootstrapInterval([10], mean)).toEqual(interval);
  expect(bootstrapInterval([10], mean, { seed: 1 })).not.toEqual(interval);
  // Student's t interval of these values is 3.33 to 7.67.
  expect(interval?.low).toBeCloseTo(3.33, 0);
  expect(interval?.high).toBeCloseTo(7.67, 0);
});

test("draws as many testers as a sample has, with replacement", () => {
  const sizes = [7, 3];
  bootstrapInterval(
    sizes,
    (draws) => {
      expect(draws.map((drawn) => drawn.reduce((sum, count) => sum + count, 0))).toEqual(sizes);
      return 0;
    },
    { resamples: 50 },
  );
});

test("ignores resamples without a value, and needs two testers", () => {
  expect(bootstrapInterval([10], () => Number.NaN)).toBeNull();
  expect(bootstrapInterval([1, 10], () => 1)).toBeNull();
  let calls = 0;
  expect(bootstrapInterval([2], () => (++calls % 2 === 0 ? Number.NaN : 3))).toEqual({ low: 3, high: 3 });
});

// Hesterberg (2015), table 1: the expanded percentiles of a 95% interval.
test.each([
  [5, 0.001],
  [10, 0.0086],
  [20, 0.0159],
  [40, 0.0203],
  [80, 0.0226],
])("%i testers use the percentile %d", (size, tail) => {
  expect(expandTail(0.025, size)).toBeCloseTo(tail, 3);
});

test("the random numbers are uniform and depend on the seed only", () => {
  const [random, again, other] = [createRandom(7), createRandom(7), createRandom(8)];
  const drawn = Array.from({ length: 10_000 }, random);
  expect(drawn.slice(0, 5)).toEqual(Array.from({ length: 5 }, again));
  expect(drawn.slice(0, 5)).not.toEqual(Array.from({ length: 5 }, other));
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...drawn)).toBeLessThan(1);
  expect(drawn.reduce((sum, value) => sum + value, 0) / drawn.length).toBeCloseTo(0.5, 2);
});
