import { describe, expect, it } from "vitest";
import { type FixedTest, type RowTest, testFamilies } from "../../src/statistics/family.ts";
import { fisherTails } from "../../src/statistics/fisher.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { createDealer, findActual, type GroupSizes, hasRecord } from "../../src/statistics/relabel.ts";
import { countShares, createMeanTest, createShareTest } from "../../src/statistics/row-tests.ts";
import { createCountTest } from "../../src/statistics/stratified.ts";
import fc from "../property.ts";

/** Tests one family. */
function testFamily(
  sizes: GroupSizes,
  rows: readonly RowTest[],
  fixed: readonly FixedTest[],
  { level, divisions }: { level: number; divisions: number },
) {
  const [tested] = testFamilies(sizes, [{ rows, fixed, level }], divisions);
  if (tested === undefined) throw new Error("The family was not tested");
  return tested;
}

/** All divisions that are as likely as the real one: the records of b of each. */
function listDivisions({ onlyA, onlyB, both }: GroupSizes): number[][] {
  const single = onlyA + onlyB;
  const chosen = (count: number, from: number): number[][] =>
    count === 0
      ? [[]]
      : Array.from({ length: Math.max(0, single - from) }, (_, at) => from + at).flatMap((at) =>
          chosen(count - 1, at + 1).map((rest) => [at, ...rest]),
        );
  const swapped = (pair: number): number[][] =>
    pair === both
      ? [[]]
      : [0, 1].flatMap((side) => swapped(pair + 1).map((rest) => [single + 2 * pair + side, ...rest]));
  return chosen(onlyB, 0).flatMap((one) => swapped(0).map((other) => [...one, ...other]));
}

const sizesWithValues = fc
  .record({ onlyA: fc.integer({ min: 1, max: 4 }), onlyB: fc.integer({ min: 1, max: 4 }), both: fc.nat(3) })
  .chain((sizes) =>
    fc.record({
      sizes: fc.constant(sizes),
      values: fc.array(fc.constantFrom(0, 1), {
        minLength: sizes.onlyA + sizes.onlyB + 2 * sizes.both,
        maxLength: sizes.onlyA + sizes.onlyB + 2 * sizes.both,
      }),
    }),
  );

describe("the exact test of a row", () => {
  it("has the share of divisions with at least, or at most, as many testers of b as its p-values", () => {
    fc.assert(
      fc.property(sizesWithValues, ({ sizes, values }) => {
        const tails = { more: 1, fewer: 1 };
        createShareTest(sizes, values)(findActual(sizes), tails);
        const counts = listDivisions(sizes).map((records) =>
          records.reduce((sum, at) => sum + (values[at] ?? 0), 0),
        );
        const inB = values.reduce((sum: number, value, at) => {
          const isInB = hasRecord(findActual(sizes).recordsOfB, at);
          return sum + (isInB ? value : 0);
        }, 0);
        const share = (matches: (count: number) => boolean) => counts.filter(matches).length / counts.length;
        expect(tails.more).toBeCloseTo(
          share((count) => count >= inB),
          10,
        );
        expect(tails.fewer).toBeCloseTo(
          share((count) => count <= inB),
          10,
        );
      }),
    );
  });

  it("approximates the sum of many pairs and many testers within 2% of the exact tails", () => {
    const margins = { totalA: 300, totalB: 300, withOutcome: 200, discordant: 1000 };
    const near = createCountTest(margins);
    const { fewest, tails } = fisherTails({ testersA: 200, totalA: 300, testersB: 0, totalB: 300 });
    let exact = tails.map((tail, at) => tail - (tails[at + 1] ?? 0));
    for (let pair = 0; pair < margins.discordant; pair += 1)
      exact = [...exact, 0].map((own, at) => (own + (exact[at - 1] ?? 0)) / 2);
    const center = 100 + 500;
    for (const at of [center - 40, center, center + 20, center + 50]) {
      const more = exact.slice(at - fewest).reduce((sum, one) => sum + one, 0);
      const fewer = exact.slice(0, at - fewest + 1).reduce((sum, one) => sum + one, 0);
      const tails = { more: 1, fewer: 1 };
      near(at, tails);
      expect(Math.abs(tails.more / more - 1)).toBeLessThan(0.02);
      expect(Math.abs(tails.fewer / fewer - 1)).toBeLessThan(0.02);
    }
  });
});

describe("the test of means", () => {
  it("agrees with the share of divisions with at least the difference", () => {
    const sizes = { onlyA: 6, onlyB: 6, both: 0 };
    const values = [1, 2, 2, 3, 3, 4, 2, 3, 4, 4, 5, 5];
    const tails = { more: 1, fewer: 1 };
    createMeanTest(sizes, values)(findActual(sizes), tails);
    const sums = listDivisions(sizes).map((records) =>
      records.reduce((sum, at) => sum + (values[at] ?? 0), 0),
    );
    const share = sums.filter((sum) => sum >= 23).length / sums.length;
    expect(tails.more).toBeLessThan(share);
    expect(tails.more).toBeGreaterThan(share / 3);
  });
});

describe("a family", () => {
  const sizes = { onlyA: 22, onlyB: 23, both: 0 };
  const level1 = Array.from({ length: 45 }, (_, at) => (at < 2 || (at >= 22 && at < 33) ? 1 : 0));
  /** Rooms that few entered and in which nearly nobody quit. */
  const sparse = Array.from({ length: 33 }, (_, row) =>
    Array.from({ length: 45 }, (_, at) =>
      (at * 7 + row * 3) % 9 < 3 ? Number((at + row) % 20 === 0) : Number.NaN,
    ),
  );

  it("finds one large change among many rows of rare outcomes, which Bonferroni's correction would not", () => {
    const rows = [level1, ...sparse].map((values) => createShareTest(sizes, values));
    const { more } = testFamily(sizes, rows, [], { level: 0.025, divisions: 4000 });
    expect(more.pValues[0]).toBeCloseTo(0.0047, 4);
    expect((more.pValues[0] ?? 1) * rows.length).toBeGreaterThan(0.05);
    expect(more.adjusted[0]).toBeLessThan(0.02);
  });

  it("gives the same result for the same testers", () => {
    const rows = () => [level1, ...sparse].map((values) => createShareTest(sizes, values));
    const options = { level: 0.025, divisions: 500 };
    const [once, again] = [testFamily(sizes, rows(), [], options), testFamily(sizes, rows(), [], options)];
    expect([once.more, once.fewer]).toEqual([again.more, again.fewer]);
  });

  it("corrects for fixed tests too", () => {
    const rows = [createShareTest(sizes, level1)];
    const options = { level: 0.025, divisions: 500 };
    const alone = testFamily(sizes, rows, [], options);
    const fixed = [{ pValue: 0.004, attainable: [1, 0.3, 0.004] }];
    const together = testFamily(sizes, rows, fixed, options);
    expect(together.more.adjusted[0]).toBeCloseTo((alone.more.adjusted[0] ?? 0) + 0.004, 10);
    expect(together.fewer).toEqual(alone.fewer);
    expect(together.fixed[0]).toBeGreaterThanOrEqual(0.004);
  });

  it("finds a difference between equal groups in at most 2.5% of runs in each direction", () => {
    const random = createRandom(1);
    const count = { more: 0, fewer: 0 };
    const runs = 300;
    for (let run = 0; run < runs; run += 1) {
      const groups = { onlyA: 8, onlyB: 8, both: 12 };
      const rows = Array.from({ length: 12 }, () => {
        const share = random() * 0.6;
        const values = Array.from({ length: 40 }, () => Number(random() < share));
        // What a tester does in both groups is related.
        for (let at = 16; at < 40; at += 2) if (random() < 0.5) values[at + 1] = values[at] ?? 0;
        return createShareTest(groups, values);
      });
      const tested = testFamily(groups, rows, [], { level: 0.025, divisions: 300 });
      for (const direction of ["more", "fewer"] as const)
        if (Math.min(...tested[direction].adjusted) <= 0.025) count[direction] += 1;
    }
    // Above this, 2.5% would be outside of the 99.9% range of so many runs.
    expect(Math.max(count.more, count.fewer)).toBeLessThanOrEqual(
      runs * 0.025 + 3.3 * Math.sqrt(runs * 0.025),
    );
  });
});

describe("random divisions", () => {
  it("contain as many records of b as there are, and one of each pair", () => {
    const sizes = { onlyA: 30, onlyB: 5, both: 10 };
    const deal = createDealer(sizes, createRandom(3));
    const seen = new Set<number>();
    for (let run = 0; run < 100; run += 1) {
      const { recordsOfB } = deal();
      const chosen = Array.from({ length: 55 }, (_, at) => at).filter((at) => hasRecord(recordsOfB, at));
      expect(chosen.filter((at) => at < 35)).toHaveLength(5);
      for (let pair = 0; pair < 10; pair += 1)
        expect(chosen.filter((at) => at === 35 + 2 * pair || at === 36 + 2 * pair)).toHaveLength(1);
      for (const at of chosen) seen.add(at);
    }
    expect(seen.size).toBe(55);
  });

  it("count testers by what they did in each group", () => {
    const sizes = { onlyA: 1, onlyB: 2, both: 4 };
    const values = [1, 0, Number.NaN, 1, 1, 0, 1, 1, 0, Number.NaN, 1];
    expect(countShares(sizes, values)).toEqual({
      a: { count: 1, total: 1 },
      b: { count: 1, total: 2 },
      pairs: { both: 1, onlyA: 1, onlyB: 1, neither: 0 },
    });
  });
});
