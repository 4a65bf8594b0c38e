/**
 * Tests a family of rows of two groups at once. Each row has its own test, and the smallest p-value among all rows is
 * compared with the smallest ones of random divisions of the same testers: the single-step min-p method of P. H. Westfall
 * and S. S. Young, "Resampling-Based Multiple Testing" (1993). It uses how rows depend on each other, and rows of rare
 * outcomes cost nothing, because they cannot reach small p-values (P. H. Westfall and R. D. Wolfinger, "Multiple Tests with
 * Discrete Distributions", The American Statistician 51, 1997).
 */
import { sumAttainable } from "./corrections.ts";
import { createRandom } from "./random.ts";
import { createDealer, findActual, type GroupSizes, type Records } from "./relabel.ts";

/** The p-values of a row for one division: that b has more of the outcome than a, and that it has less. */
export interface Tails {
  more: number;
  fewer: number;
}

/** A row of the family: writes its p-values for the records of b. */
export type RowTest = (recordsOfB: Records, tails: Tails) => void;

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
  /** For each row, the probability that any row of the family has such a small p-value if the groups do not differ. */
  readonly adjusted: readonly number[];
  /** The largest p-value of a row that is significant at the level of the family. */
  readonly critical: number;
}

export interface TestedRows {
  readonly more: TestedDirection;
  readonly fewer: TestedDirection;
  /** For each fixed test, its corrected p-value. Fixed tests belong to the direction `more`. */
  readonly fixed: readonly number[];
}

export interface FamilyOptions {
  /** The level of the family in each direction, such as 0.025. */
  readonly level: number;
  /** The number of random divisions. */
  readonly divisions: number;
}

/** Tests the rows of a family. The divisions are the same whenever the sizes are. */
export function testFamily(
  sizes: GroupSizes,
  rows: readonly RowTest[],
  fixed: readonly FixedTest[],
  { level, divisions }: FamilyOptions,
): TestedRows {
  const actual = runTests(rows, findActual(sizes));
  const smallest = { more: new Float64Array(divisions), fewer: new Float64Array(divisions) };
  const deal = createDealer(sizes, createRandom(sizes.onlyA * 31 + sizes.onlyB * 17 + sizes.both));
  const tails: Tails = { more: 1, fewer: 1 };
  for (let at = 0; at < divisions; at += 1) {
    const records = deal();
    let [more, fewer] = [1, 1];
    for (const test of rows) {
      test(records, tails);
      if (tails.more < more) more = tails.more;
      if (tails.fewer < fewer) fewer = tails.fewer;
    }
    smallest.more[at] = more;
    smallest.fewer[at] = fewer;
  }
  const attainable = fixed.map((test) => test.attainable);
  const more = correct(smallest.more, attainable);
  const fewer = correct(smallest.fewer, []);
  const toDirection = (key: keyof Tails, tests: number, correctOne: Correction): TestedDirection => {
    const pValues = actual.map((row) => row[key]);
    const critical = findCritical(smallest[key].sort(), tests, level, correctOne);
    return { pValues, adjusted: pValues.map(correctOne), critical };
  };
  return {
    more: toDirection("more", rows.length + fixed.length, more),
    fewer: toDirection("fewer", rows.length, fewer),
    fixed: fixed.map(({ pValue }) => more(pValue)),
  };
}

const runTests = (rows: readonly RowTest[], records: Records): Tails[] =>
  rows.map((test) => {
    const tails = { more: 1, fewer: 1 };
    test(records, tails);
    return tails;
  });

type Correction = (pValue: number) => number;

/** Rounding gives equal p-values of different divisions slightly different values. */
const TOLERANCE = 1 + 1e-9;

/** Counts the divisions with a p-value as small, the real one included, and what fixed tests add to them. */
function correct(smallest: Float64Array, attainable: readonly (readonly number[])[]): Correction {
  return (pValue) => {
    const limit = pValue * TOLERANCE;
    const count = smallest.reduce((sum, one) => (one <= limit ? sum + 1 : sum), 1);
    return Math.min(1, count / (smallest.length + 1) + sumAttainable(attainable, pValue));
  };
}

/** The largest p-value that is significant. At least that of Bonferroni's correction, which always holds. */
function findCritical(sorted: Float64Array, tests: number, level: number, correctOne: Correction): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (correctOne(sorted[middle] ?? 1) <= level) low = middle + 1;
    else high = middle;
  }
  return Math.max(low === 0 ? 0 : (sorted[low - 1] ?? 0), level / Math.max(1, tests));
}
