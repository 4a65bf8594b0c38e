/** Fisher's exact test against published values and SciPy, and the discrete correction of its p-values against brute force. */

import { describe, expect, test } from "vitest";
import { sumAttainable } from "../../src/statistics/corrections.ts";
import { fisherPValue, fisherTails, type TwoByTwo } from "../../src/statistics/fisher.ts";
import fc from "../property.ts";

const counts = (testersA: number, totalA: number, testersB: number, totalB: number): TwoByTwo => ({
  testersA,
  totalA,
  testersB,
  totalB,
});

/** The exact binomial coefficient n over k. */
function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  let product = 1n;
  for (let at = 1; at <= k; at += 1) product = (product * BigInt(n - k + at)) / BigInt(at);
  return product;
}

/** The probability of exactly `inB` testers in b, given the margins, in integer arithmetic. */
function probability(inB: number, { testersA, totalA, testersB, totalB }: TwoByTwo): number {
  const affected = testersA + testersB;
  const ways = choose(totalB, inB) * choose(totalA, affected - inB);
  return Number((ways * 10n ** 20n) / choose(totalA + totalB, affected)) / 1e20;
}

/** All counts of b that the margins allow. */
function possibleCounts({ testersA, totalA, testersB, totalB }: TwoByTwo): number[] {
  const affected = testersA + testersB;
  return Array.from({ length: totalB + 1 }, (_, inB) => inB).filter(
    (inB) => affected - inB >= 0 && affected - inB <= totalA,
  );
}

const anyTable = (most: number) =>
  fc
    .record({ totalA: fc.integer({ min: 1, max: most }), totalB: fc.integer({ min: 1, max: most }) })
    .chain(({ totalA, totalB }) =>
      fc.record({
        totalA: fc.constant(totalA),
        totalB: fc.constant(totalB),
        testersA: fc.integer({ min: 0, max: totalA }),
        testersB: fc.integer({ min: 0, max: totalB }),
      }),
    );

describe("the p-value of an increase", () => {
  // Values without a source are from scipy.stats.fisher_exact (SciPy 1.17.1) with alternative "greater".
  test.each<[what: string, given: TwoByTwo, p: number]>([
    ["Fisher's lady tasting tea, 3 of 4 right", counts(1, 4, 3, 4), 17 / 70],
    ["all 4 right", counts(0, 4, 4, 4), 1 / 70],
    ["Fisher's twins of criminals, 1935", counts(2, 17, 10, 13), 0.000465180943362905],
    ["0 of 20 to 8 of 20", counts(0, 20, 8, 20), 0.001638001638001638],
    ["1 of 20 to 11 of 22", counts(1, 20, 11, 22), 0.00133433984732175],
    ["1 of 10 to 6 of 8", counts(1, 10, 6, 8), 0.00904977375565611],
    ["5 of 50 to 12 of 40", counts(5, 50, 12, 40), 0.01617644428397987],
    ["no growth", counts(4, 10, 4, 10), 0.6750416765896642],
    ["thousands of testers, half of them affected", counts(500, 1000, 560, 1000), 0.004096730512730169],
    // This value is from sums of 60 digits.
    [
      "100,000 testers, a fifth of them affected",
      counts(20_000, 100_000, 20_500, 100_000),
      0.0027466315473715,
    ],
    ["more testers than any playtest has", counts(0, 100_001, 100_001, 100_001), 1],
    ["nobody affected", counts(0, 10, 0, 10), 1],
    ["everybody affected", counts(10, 10, 10, 10), 1],
    ["a build without testers", counts(0, 0, 3, 10), 1],
  ])("%s", (_what, given, p) => {
    expect(fisherPValue(given) / p).toBeCloseTo(1, 8);
  });

  test("is the sum of exact probabilities for any table", () => {
    fc.assert(
      fc.property(anyTable(40), (given) => {
        const more = possibleCounts(given).filter((inB) => inB >= given.testersB);
        const sum = more.reduce((total, inB) => total + probability(inB, given), 0);
        expect(fisherPValue(given)).toBeCloseTo(sum, 12);
      }),
    );
  });

  test("falls from 1 and stays finite for any number of testers", () => {
    fc.assert(
      fc.property(anyTable(5000), (given) => {
        const { tails } = fisherTails(given);
        expect(tails).toHaveLength(possibleCounts(given).length);
        expect(tails[0]).toBeCloseTo(1, 9);
        for (const [at, tail] of tails.entries()) {
          expect(tail).toBeGreaterThanOrEqual(0);
          expect(tail).toBeLessThanOrEqual(tails[at - 1] ?? 1);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe("the two-sided p-value", () => {
  // Fisher's tea tasting and twins, as R's fisher.test reports them.
  test.each<[given: TwoByTwo, p: number]>([
    [counts(1, 4, 3, 4), 0.4857142857142857],
    [counts(2, 17, 10, 13), 0.000536724119143435],
    [counts(0, 10, 0, 10), 1],
  ])("%j", (given, p) => {
    expect(fisherPValue(given, "two-sided")).toBeCloseTo(p, 4);
  });

  /** The probability of at least this many testers, and of at most this many. */
  function tails(inB: number, given: TwoByTwo): readonly [greater: number, less: number] {
    const weight = (other: number) => probability(other, given);
    const sum = (counted: readonly number[]) => counted.reduce((total, other) => total + weight(other), 0);
    const all = possibleCounts(given);
    return [
      sum(all.filter((other) => other >= inB)) / sum(all),
      sum(all.filter((other) => other <= inB)) / sum(all),
    ];
  }

  test("is the probability that the smaller tail is at most this small, for any table", () => {
    fc.assert(
      fc.property(anyTable(20), (given) => {
        const smallest = Math.min(...tails(given.testersB, given)) * (1 + 1e-9);
        const expected = possibleCounts(given)
          .filter((inB) => Math.min(...tails(inB, given)) <= smallest)
          .reduce((sum, inB) => sum + probability(inB, given), 0);
        expect(fisherPValue(given, "two-sided")).toBeCloseTo(expected, 9);
      }),
    );
  });

  test("does not depend on which build comes first", () => {
    fc.assert(
      fc.property(anyTable(30), (given) => {
        const { testersA, totalA, testersB, totalB } = given;
        const reversed = counts(testersB, totalB, testersA, totalA);
        expect(fisherPValue(reversed, "two-sided")).toBeCloseTo(fisherPValue(given, "two-sided"), 9);
      }),
    );
  });
});

/** P-values of an increase in each table, corrected for all of them. */
function adjust(tables: readonly TwoByTwo[]): number[] {
  const family = tables.map((table) => fisherTails(table).tails);
  return tables.map((table) => sumAttainable(family, fisherPValue(table)));
}

describe("the discrete correction", () => {
  test("does not change the p-value of a single tag", () => {
    fc.assert(
      fc.property(anyTable(30), (given) => {
        // P-values that differ only by rounding are treated as equal, so the result may be the largest of them.
        const [p, adjusted = Number.NaN] = [fisherPValue(given), ...adjust([given])];
        expect(adjusted).toBeGreaterThanOrEqual(p);
        expect(adjusted).toBeLessThanOrEqual(p * (1 + 1e-9));
      }),
    );
  });

  test("sums the largest p-value of each tag at or below it, compared with brute force", () => {
    fc.assert(
      fc.property(fc.array(anyTable(12), { minLength: 1, maxLength: 5 }), (tables) => {
        const reachable = tables.map((table) =>
          possibleCounts(table).map((inB) =>
            possibleCounts(table)
              .filter((other) => other >= inB)
              .reduce((sum, other) => sum + probability(other, table), 0),
          ),
        );
        const expected = tables.map((table) => {
          const p = fisherPValue(table);
          const sum = reachable.reduce(
            (total, ps) => total + Math.max(0, ...ps.filter((candidate) => candidate <= p + 1e-9)),
            0,
          );
          return Math.min(1, sum);
        });
        for (const [at, adjusted] of adjust(tables).entries())
          expect(adjusted).toBeCloseTo(expected[at] ?? Number.NaN, 8);
      }),
    );
  });

  test("ignores tags that cannot produce such a small p-value", () => {
    const grown = counts(0, 20, 8, 20);
    const rare = counts(0, 20, 1, 20);
    const [alone = 0] = adjust([grown]);
    expect(adjust([grown, ...Array.from({ length: 50 }, () => rare)])[0]).toBe(alone);
    expect(adjust([grown, counts(6, 20, 6, 20)])[0]).toBeGreaterThan(alone);
  });

  /** The probability that any tag is significant if the builds do not differ: the sum over all outcomes. */
  function familyWiseError(margins: readonly TwoByTwo[], level: number): number {
    let error = 0;
    const visit = (chosen: TwoByTwo[], weight: number) => {
      const next = margins[chosen.length];
      if (next === undefined) {
        if (adjust(chosen).some((p) => p <= level)) error += weight;
        return;
      }
      for (const inB of possibleCounts(next)) {
        const affected = next.testersA + next.testersB;
        visit(
          [...chosen, { ...next, testersA: affected - inB, testersB: inB }],
          weight * probability(inB, next),
        );
      }
    };
    visit([], 1);
    return error;
  }

  test("limits the false alarms of equal builds to the level, by enumeration", () => {
    const families = fc.array(anyTable(8), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(families, fc.constantFrom(0.01, 0.05, 0.1, 0.3), (margins, level) => {
        expect(familyWiseError(margins, level)).toBeLessThanOrEqual(level + 1e-9);
      }),
      { numRuns: 60 },
    );
  });

  test("is needed: without it, false alarms exceed the level", () => {
    const margins = [counts(4, 12, 4, 12), counts(5, 12, 4, 12), counts(6, 12, 6, 12)];
    const uncorrected = margins.map((table) =>
      Math.max(0, ...fisherTails(table).tails.filter((tail) => tail <= 0.2)),
    );
    const anyFalse = 1 - uncorrected.reduce((product, p) => product * (1 - p), 1);
    expect(anyFalse).toBeGreaterThan(0.2);
    expect(familyWiseError(margins, 0.2)).toBeLessThanOrEqual(0.2);
  });
});
