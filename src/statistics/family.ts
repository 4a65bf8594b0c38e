/**
 * Tests a family of rows of two groups at once. Each row has its own test, and the smallest p-value among all rows is
 * compared with the smallest ones of random divisions of the same testers: the single-step min-p method of P. H. Westfall
 * and S. S. Young, "Resampling-Based Multiple Testing" (1993). It uses how rows depend on each other, and rows of rare
 * outcomes cost nothing, because they cannot reach small p-values (P. H. Westfall and R. D. Wolfinger, "Multiple Tests with
 * Discrete Distributions", The American Statistician 51, 1997).
 */
import { countLeading } from "./bisect.ts";
import { sumAttainable } from "./corrections.ts";
import { createRandom } from "./random.ts";
import { createDealer, type Division, findActual, type GroupSizes } from "./relabel.ts";
import type { Tails } from "./tails.ts";

/** A row of a family: lowers p-values to those of the row for a division. */
export type RowTest = (division: Division, smallest: Tails) => void;

/** A row that is tested alone, such as a share against a limit. */
export interface FixedTest {
  readonly pValue: number;
  /** All p-values that it can have, falling. */
  readonly attainable: readonly number[];
}

/** One direction of the family. */
export interface TestedDirection {
  /** For each row, the p-value of its own test. */
  readonly pValues: readonly number[];
  /**
   * For each row, the probability that any row of the family has such a small p-value if the groups do not differ. It can be
   * smaller than the p-value of a row, which takes as given who of each group counts, and may not reach such values otherwise.
   */
  readonly adjusted: readonly number[];
  /** The largest p-value of a row that is significant at the level of the family. */
  readonly critical: number;
}

export interface TestedRows {
  readonly more: TestedDirection;
  readonly fewer: TestedDirection;
  readonly correctMore: (pValue: number) => number;
  /** The largest p-value for more that would be significant in one further row. */
  readonly criticalOfNew: number;
  /** For each fixed test, its corrected p-value. Fixed tests belong to the direction `more`. */
  readonly fixed: readonly number[];
}

/** Rows that are corrected together. */
export interface TestFamily {
  readonly rows: readonly RowTest[];
  readonly fixed: readonly FixedTest[];
  /** The level of the family in each direction, such as 0.025. */
  readonly level: number;
}

/** Tests families of rows, each with the same random divisions. The divisions are the same whenever the sizes are. */
export function testFamilies(
  sizes: GroupSizes,
  families: readonly TestFamily[],
  divisions: number,
): TestedRows[] {
  const smallest = families.map(() => ({
    more: new Float64Array(divisions),
    fewer: new Float64Array(divisions),
  }));
  const deal = createDealer(sizes, createRandom(sizes.onlyA * 31 + sizes.onlyB * 17 + sizes.both));
  for (let number = 0; number < divisions; number += 1) {
    const division = deal();
    for (const [at, family] of families.entries()) {
      const { more, fewer } = findSmallest(family.rows, division);
      const found = smallest[at];
      if (found === undefined) continue;
      found.more[number] = more;
      found.fewer[number] = fewer;
    }
  }
  const actual = findActual(sizes);
  return families.map((family, at) => {
    const { more = new Float64Array(), fewer = new Float64Array() } = smallest[at] ?? {};
    return correctFamily(family, actual, { more: more.sort(), fewer: fewer.sort() });
  });
}

function findSmallest(rows: readonly RowTest[], division: Division): Tails {
  const smallest = { more: 1, fewer: 1 };
  for (const test of rows) test(division, smallest);
  return smallest;
}

/** Corrects the p-values of a family by the smallest ones of each division, in ascending order. */
function correctFamily(
  { rows, fixed, level }: TestFamily,
  actual: Division,
  sorted: Readonly<Record<keyof Tails, Float64Array>>,
): TestedRows {
  const own = rows.map((test) => findSmallest([test], actual));
  const more = correct(
    sorted.more,
    fixed.map(({ attainable }) => attainable),
  );
  const fewer = correct(sorted.fewer, []);
  const toDirection = (key: keyof Tails, tests: number, correctOne: Correction): TestedDirection => {
    const pValues = own.map((row) => row[key]);
    const critical = findCritical(sorted[key], tests, level, correctOne);
    return { pValues, adjusted: pValues.map(correctOne), critical };
  };
  return {
    more: toDirection("more", rows.length + fixed.length, more),
    fewer: toDirection("fewer", rows.length, fewer),
    correctMore: more,
    criticalOfNew: findCritical(
      sorted.more,
      rows.length + fixed.length + 1,
      level,
      (pValue) => more(pValue) + pValue,
    ),
    fixed: fixed.map(({ pValue }) => more(pValue)),
  };
}

type Correction = (pValue: number) => number;

/** Rounding gives equal p-values of different divisions slightly different values. */
const TOLERANCE = 1 + 1e-9;

/** Counts the divisions with a p-value as small, the real one included, and what fixed tests add to them. */
function correct(sorted: Float64Array, attainable: readonly (readonly number[])[]): Correction {
  return (pValue) => {
    const limit = pValue * TOLERANCE;
    const count = 1 + countLeading(sorted.length, (at) => (sorted[at] ?? 0) <= limit);
    return Math.min(1, count / (sorted.length + 1) + sumAttainable(attainable, pValue));
  };
}

/** The largest p-value that is significant. At least that of Bonferroni's correction, which always holds. */
function findCritical(sorted: Float64Array, tests: number, level: number, correctOne: Correction): number {
  const significant = countLeading(sorted.length, (at) => correctOne(sorted[at] ?? 1) <= level);
  return Math.max(sorted[significant - 1] ?? 0, level / Math.max(1, tests));
}
