/** The tests of single rows for `testFamily`: of shares, and of means. */
import { mean, sum } from "./averages.ts";
import type { RowTest } from "./family.ts";
import { normalTail } from "./normal.ts";
import {
  addRecord,
  countCommon,
  createRecords,
  findPartner,
  type GroupSizes,
  hasRecord,
  type Records,
} from "./relabel.ts";
import { computeStratifiedTails, type StratifiedTails } from "./stratified.ts";

/** Who counts for a row, and with which value: one entry for each record; null for testers who do not count. */
export type RowValues = readonly (number | null)[];

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
    const value = values[at] ?? null;
    if (value !== null) split[at < onlyA ? "a" : "b"].push(value);
  }
  for (let pair = 0; pair < both; pair += 1) {
    const [inA, inB] = [values[single + 2 * pair] ?? null, values[single + 2 * pair + 1] ?? null];
    if (inA !== null && inB !== null) split.pairs.push([inA, inB]);
    else if (inA !== null) split.a.push(inA);
    else if (inB !== null) split.b.push(inB);
  }
  return split;
}

/** Counts a row whose values are 1 with the outcome and 0 without. */
export function countShares({ a, b, pairs }: SplitValues): ShareCounts {
  const count = (inA: number, inB: number) =>
    pairs.filter((pair) => pair[0] === inA && pair[1] === inB).length;
  return {
    a: { count: sum(a), total: a.length },
    b: { count: sum(b), total: b.length },
    pairs: { both: count(1, 1), onlyA: count(1, 0), onlyB: count(0, 1), neither: count(0, 0) },
  };
}

/** The exact test of a row of shares, whose values are 1 with the outcome and 0 without. */
export function createShareTest(sizes: GroupSizes, values: RowValues): RowTest {
  const { counted, tested } = selectShareRecords(sizes, values);
  const { a, b, pairs } = countShares(splitValues(sizes, values));
  const [total, withOutcome] = [a.total + b.total, a.count + b.count];
  const discordant = pairs.onlyA + pairs.onlyB;
  const known = new Map<number, StratifiedTails>();
  return (recordsOfB, tails) => {
    const totalB = countCommon(recordsOfB, counted);
    let computed = known.get(totalB);
    if (computed === undefined) {
      computed = computeStratifiedTails({ totalA: total - totalB, totalB, withOutcome, discordant });
      known.set(totalB, computed);
    }
    const at = countCommon(recordsOfB, tested) - computed.fewest;
    tails.more = computed.more[at] ?? 1;
    tails.fewer = computed.fewer[at] ?? 1;
  };
}

/** The records of testers who count in one group only, and the records with an outcome that the test counts. */
function selectShareRecords(sizes: GroupSizes, values: RowValues): { counted: Records; tested: Records } {
  const [counted, tested] = [createRecords(sizes), createRecords(sizes)];
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const other = values[findPartner(sizes, at) ?? -1] ?? null;
    if (other === null) addRecord(counted, at);
    // Testers with the same outcome in both groups say nothing about a difference.
    if (value === 1 && other !== 1) addRecord(tested, at);
  }
  return { counted, tested };
}

/**
 * The permutation test of a row of means, in the normal approximation: E. J. G. Pitman, "Significance Tests which May be
 * Applied to Samples from Any Populations", Supplement to the Journal of the Royal Statistical Society 4 (1937). Testers who
 * count in both groups are compared with themselves.
 */
export function createMeanTest(sizes: GroupSizes, values: RowValues): RowTest {
  const isPaired = (at: number) => (values[findPartner(sizes, at) ?? -1] ?? null) !== null;
  const singles = [...values.entries()].flatMap(([at, value]) =>
    value === null || isPaired(at) ? [] : [{ at, value }],
  );
  const pairs = [...values.entries()].flatMap(([at, value]) =>
    value === null || !isPaired(at) || (findPartner(sizes, at) ?? 0) < at
      ? []
      : [{ at, half: ((values[at + 1] ?? 0) - value) / 2 }],
  );
  const center = singles.length === 0 ? 0 : mean(singles.map(({ value }) => value));
  const squares = sum(singles.map(({ value }) => (value - center) ** 2));
  const pairVariance = sum(pairs.map(({ half }) => half ** 2));
  return (recordsOfB, tails) => {
    let [difference, totalB] = [0, 0];
    for (const { at, value } of singles) {
      if (!hasRecord(recordsOfB, at)) continue;
      difference += value - center;
      totalB += 1;
    }
    for (const { at, half } of pairs) difference += hasRecord(recordsOfB, at) ? -half : half;
    const total = singles.length;
    const spread = total > 1 ? ((total - totalB) * totalB * squares) / (total * (total - 1)) : 0;
    const deviation = Math.sqrt(spread + pairVariance);
    const z = deviation > 0 ? difference / deviation : 0;
    tails.more = normalTail(z);
    tails.fewer = normalTail(-z);
  };
}
