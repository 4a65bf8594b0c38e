/** The chi-square distributions against published tables. */
import { describe, expect, it, test } from "vitest";
import {
  chiSquareCritical,
  chiSquareTail,
  noncentralChiSquareTail,
} from "../../src/statistics/chi-square.ts";
import { logGamma, upperGamma } from "../../src/statistics/gamma.ts";

describe("the chi-square distribution", () => {
  // Upper-tail critical values: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4.
  test.each([
    [1, 0.1, 2.706],
    [1, 0.05, 3.841],
    [1, 0.001, 10.828],
    [2, 0.05, 5.991],
    [3, 0.05, 7.815],
    [5, 0.01, 15.086],
    [10, 0.05, 18.307],
    [10, 0.001, 29.588],
    [50, 0.05, 67.505],
    [100, 0.05, 124.342],
  ])("with %i degrees of freedom has a tail of %f above its critical value", (degrees, tail, critical) => {
    expect(chiSquareTail(critical, degrees)).toBeCloseTo(tail, 4);
  });

  it("equals e^(-x/2) for two degrees of freedom, far into the tail", () => {
    for (const x of [0.001, 0.5, 2, 4, 30, 200]) {
      expect(chiSquareTail(x, 2) / Math.exp(-x / 2)).toBeCloseTo(1, 11);
    }
    expect(chiSquareTail(0, 3)).toBe(1);
  });

  it("is continuous where the method of computation changes", () => {
    // Q(a + 1, x) = Q(a, x) + x^a e^-x / gamma(a + 1): DLMF 8.8.6.
    for (const a of [0.5, 1, 4.5, 20]) {
      for (const x of [a * 0.5, a, a + 0.9, a + 1.1, a * 3]) {
        const step = Math.exp(a * Math.log(x) - x - logGamma(a + 1));
        expect(upperGamma(a + 1, x) - upperGamma(a, x)).toBeCloseTo(step, 12);
      }
    }
  });

  it("computes factorials and the gamma function of 1/2", () => {
    expect(Math.exp(logGamma(5))).toBeCloseTo(24, 10);
    expect(Math.exp(logGamma(0.5))).toBeCloseTo(Math.sqrt(Math.PI), 12);
  });
});

describe("the noncentral chi-square distribution", () => {
  test.each([
    [1, 0.05, 3.841],
    [3, 0.001, 16.266],
  ])("with %i degrees of freedom has the critical value of %f", (degrees, probability, critical) => {
    expect(chiSquareCritical(probability, degrees)).toBeCloseTo(critical, 3);
  });

  // Haynam, Govindarajulu and Leone, "Tables of the cumulative non-central chi-square distribution" (1962): the
  // noncentrality at which a 5% test has a power of 0.8.
  test.each([
    [1, 7.849],
    [2, 9.635],
    [5, 12.828],
    [10, 16.241],
  ])(
    "with %i degrees of freedom has a power of 0.8 at the published noncentrality",
    (degrees, noncentrality) => {
      const critical = chiSquareCritical(0.05, degrees);
      expect(noncentralChiSquareTail(critical, degrees, noncentrality)).toBeCloseTo(0.8, 3);
    },
  );

  it("is the central one without noncentrality, and exceeds a small value almost certainly if it is large", () => {
    expect(noncentralChiSquareTail(5, 2, 0)).toBeCloseTo(chiSquareTail(5, 2), 12);
    expect(noncentralChiSquareTail(10, 1, 1e6)).toBe(1);
  });
});
