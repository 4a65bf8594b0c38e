/** The tests of single rows for `testFamilies`: of shares, and of means. */
import { mean } from "./averages.ts";
import type { RowTest } from "./family.ts";
import {
  addRecord,
  createCounter,
  createCounters,
  createRecords,
  type GroupSizes,
  type Records,
} from "./relabel.ts";
import { type CountTest, createCountTest } from "./stratified.ts";
import { lowerToNormal } from "./tails.ts";

/** Who counts for a row, and with which value: one entry for each record; NaN for testers who do not count. */
export type RowValues = ArrayLike<number>;

/** The counts of one row of shares, from which its estimate and range follow. */
export interface ShareCounts {
  /** Testers who count in one group only, and those of them with the outcome. */
  readonly a: { readonly count: number; readonly total: number };
  readonly b: { readonly count: number; readonly total: number };
  /** Testers who count in both groups: with the outcome in both, in a only, in b only, and in neither. */
  readonly pairs: {
    readonly both: number;
    readonly onlyA: number;
    readonly onlyB: number;
    readonly neither: number;
  };
}

/** The values of a row: of testers who count in one group, and of those who count in both, a before b. */
export interface SplitValues {
  readonly a: number[];
  readonly b: number[];
  readonly pairs: [number, number][];
}

export function splitValues({ onlyA, onlyB, both }: GroupSizes, values: RowValues): SplitValues {
  const split: SplitValues = { a: [], b: [], pairs: [] };
  const single = onlyA + onlyB;
  for (let at = 0; at < single; at += 1) {
    const value = values[at] ?? Number.NaN;
    if (!Number.isNaN(value)) (at < onlyA ? split.a : split.b).push(value);
  }
  for (let pair = 0; pair < both; pair += 1) {
    const inA = values[single + 2 * pair] ?? Number.NaN;
    const inB = values[single + 2 * pair + 1] ?? Number.NaN;
    if (Number.isNaN(inA)) {
      if (!Number.isNaN(inB)) split.b.push(inB);
    } else if (Number.isNaN(inB)) split.a.push(inA);
    else split.pairs.push([inA, inB]);
  }
  return split;
}

/** Counts a row whose values are 1 with the outcome and 0 without. */
export function countShares({ onlyA, onlyB, both }: GroupSizes, values: RowValues): ShareCounts {
  const [a, b] = [createCount(), createCount()];
  // Indexed by the outcome in a, and twice that in b.
  const pairs = [0, 0, 0, 0];
  const single = onlyA + onlyB;
  for (let at = 0; at < single; at += 1) addValue(at < onlyA ? a : b, values[at] ?? Number.NaN);
  for (let at = single; at < single + 2 * both; at += 2) {
    const [inA, inB] = [values[at] ?? Number.NaN, values[at + 1] ?? Number.NaN];
    if (Number.isNaN(inA) || Number.isNaN(inB)) {
      addValue(a, inA);
      addValue(b, inB);
    } else pairs[inA + 2 * inB] = (pairs[inA + 2 * inB] ?? 0) + 1;
  }
  const [neither = 0, withA = 0, withB = 0, inBoth = 0] = pairs;
  return { a, b, pairs: { both: inBoth, onlyA: withA, onlyB: withB, neither } };
}

const createCount = () => ({ count: 0, total: 0 });

function addValue(group: ReturnType<typeof createCount>, value: number): void {
  if (Number.isNaN(value)) return;
  group.total += 1;
  group.count += value;
}

/** The number of testers who count in both groups. */
export const countPairs = ({ pairs: { both, onlyA, onlyB, neither } }: Pick<ShareCounts, "pairs">): number =>
  both + onlyA + onlyB + neither;

/** Whether a record is of a tester who counts in both groups. */
function isPaired({ onlyA, onlyB }: GroupSizes, values: RowValues, at: number): boolean {
  const single = onlyA + onlyB;
  return at >= single && !Number.isNaN(values[single + ((at - single) ^ 1)] ?? Number.NaN);
}

/**
 * The exact test of a row of shares, whose values are 1 with the outcome and 0 without. Rows of which the same testers count
 * are tested faster if they have their counters in common.
 */
export function createShareTest(
  sizes: GroupSizes,
  values: RowValues,
  shareCounter = createCounters(),
): RowTest {
  const { counted, tested } = selectShareRecords(sizes, values);
  const { a, b, pairs } = countShares(sizes, values);
  const [total, withOutcome] = [a.total + b.total, a.count + b.count];
  const discordant = pairs.onlyA + pairs.onlyB;
  // If all testers count, each division has as many of b.
  const isFixed = total === sizes.onlyA + sizes.onlyB && countPairs({ pairs }) === sizes.both;
  const countTotal = isFixed ? () => b.total : shareCounter(counted);
  const countTested = createCounter(tested);
  const known = new Map<number, CountTest>();
  return (division, smallest) => {
    const totalB = countTotal(division);
    let test = known.get(totalB);
    if (test === undefined) {
      test = createCountTest({ totalA: total - totalB, totalB, withOutcome, discordant });
      known.set(totalB, test);
    }
    test(countTested(division), smallest);
  };
}

/** The records of testers who count in one group only, and the records with an outcome that the test counts. */
function selectShareRecords(sizes: GroupSizes, values: RowValues): { counted: Records; tested: Records } {
  const [counted, tested] = [createRecords(sizes), createRecords(sizes)];
  const single = sizes.onlyA + sizes.onlyB;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    const paired = isPaired(sizes, values, at);
    if (!paired) addRecord(counted, at);
    // Testers with the same outcome in both groups say nothing about a difference.
    if (value === 1 && !(paired && values[single + ((at - single) ^ 1)] === 1)) addRecord(tested, at);
  }
  return { counted, tested };
}

/**
 * The permutation test of a row of means, in the normal approximation: E. J. G. Pitman, "Significance Tests which May be
 * Applied to Samples from Any Populations", Supplement to the Journal of the Royal Statistical Society 4 (1937). Testers who
 * count in both groups are compared with themselves.
 */
export function createMeanTest(sizes: GroupSizes, values: RowValues): RowTest {
  const { singles, deviations, pairs, halves } = selectMeanRecords(sizes, values);
  const squares = deviations.reduce((total, value) => total + value ** 2, 0);
  const pairVariance = halves.reduce((total, half) => total + half ** 2, 0);
  const total = singles.length;
  return ({ recordsOfB }, smallest) => {
    let [difference, totalB] = [0, 0];
    for (let at = 0; at < total; at += 1) {
      const record = singles[at] ?? 0;
      // A branch would be mispredicted for half of the records.
      const isInB = ((recordsOfB[record >>> 5] ?? 0) >>> (record & 31)) & 1;
      difference += isInB * (deviations[at] ?? 0);
      totalB += isInB;
    }
    for (let at = 0; at < pairs.length; at += 1) {
      const record = pairs[at] ?? 0;
      const isInB = ((recordsOfB[record >>> 5] ?? 0) >>> (record & 31)) & 1;
      difference += (1 - 2 * isInB) * (halves[at] ?? 0);
    }
    const spread = total > 1 ? ((total - totalB) * totalB * squares) / (total * (total - 1)) : 0;
    const deviation = Math.sqrt(spread + pairVariance);
    const z = deviation > 0 ? difference / deviation : 0;
    lowerToNormal(smallest, z, -z);
  };
}

interface MeanRecords {
  /** Records of testers who count in one group only, and how far the value of each is from their mean. */
  readonly singles: Uint32Array;
  readonly deviations: Float64Array;
  /** The records in a of testers who count in both groups, and half of how much more each has in b. */
  readonly pairs: Uint32Array;
  readonly halves: Float64Array;
}

function selectMeanRecords(sizes: GroupSizes, values: RowValues): MeanRecords {
  const [singles, pairs]: [number[], number[]] = [[], []];
  const single = sizes.onlyA + sizes.onlyB;
  const valueAt = (at: number) => values[at] ?? Number.NaN;
  for (let at = 0; at < values.length; at += 1) {
    if (Number.isNaN(valueAt(at))) continue;
    if (!isPaired(sizes, values, at)) singles.push(at);
    else if ((at - single) % 2 === 0) pairs.push(at);
  }
  const center = singles.length === 0 ? 0 : mean(singles.map(valueAt));
  return {
    singles: Uint32Array.from(singles),
    deviations: Float64Array.from(singles, (at) => valueAt(at) - center),
    pairs: Uint32Array.from(pairs),
    halves: Float64Array.from(pairs, (at) => (valueAt(at + 1) - valueAt(at)) / 2),
  };
}
