/** The normal distribution and Student's against published tables. */
import { expect, test } from "vitest";
import { normalQuantile, normalTail } from "../../src/statistics/normal.ts";
import { studentQuantile } from "../../src/statistics/student.ts";

// Published quantiles, and the ones of Python's statistics.NormalDist.
test.each([
  [0.5, 0],
  [0.975, 1.959963984540054],
  [0.9, 1.2815515655446004],
  [0.05, -1.6448536269514729],
  [1e-6, -4.753424308822899],
  [1e-20, -9.262340089798409],
])("the normal quantile of %d is %d", (probability, z) => {
  expect(normalQuantile(probability)).toBeCloseTo(z, 9);
});

test.each([0, 1, -0.1, Number.NaN])("there is no normal quantile of %d", (probability) => {
  expect(() => normalQuantile(probability)).toThrow(RangeError);
});

// The complementary error function with 40 digits (mpmath 1.3).
test.each([
  [0, 0.5],
  [1, 0.158655253931457],
  [1.959963984540054, 0.025],
  [3, 0.00134989803163009],
  [6, 9.86587645037698e-10],
  [-1, 0.841344746068543],
])("the normal tail above %d is %d", (z, tail) => {
  expect(normalTail(z) / tail).toBeCloseTo(1, 11);
});

// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: critical values of Student's t distribution.
test.each([
  [0.025, 5, 2.571],
  [0.025, 10, 2.228],
  [0.025, 30, 2.042],
  [0.025, 100, 1.984],
  [0.005, 10, 3.169],
  [0.05, 20, 1.725],
])(
  "Student's t exceeds its critical value with probability %d and %i degrees of freedom",
  (tail, degrees, t) => {
    expect(studentQuantile(tail, degrees)).toBeCloseTo(t, 2);
  },
);
