/**
 * The power of the tests of a family: how many testers of b must have an outcome to be noticed, and how many testers it takes
 * to find an increase. Both hold for groups without testers in common who played equally long.
 */
import { binomialProbabilities, binomialTail } from "./binomial.ts";
import { sumAttainable } from "./corrections.ts";
import { fisherTails, MAX_TESTERS } from "./fisher.ts";
import { createCountTest } from "./stratified.ts";

/** Testers of a with an outcome, and all testers who count in each group. */
export interface GroupCounts {
  readonly countA: number;
  readonly totalA: number;
  readonly totalB: number;
}

/**
 * The smallest number of testers of b with an outcome whose p-value is significant; null if not even an outcome of all of
 * them is. Whatever is smaller than a significant p-value must be significant too.
 */
export function findNoticedCount(
  { countA, totalA, totalB }: GroupCounts,
  isSignificant: (pValue: number) => boolean,
): number | null {
  const isNoticed = (countB: number) => {
    const tails = { more: 1, fewer: 1 };
    createCountTest({ totalA, totalB, withOutcome: countA + countB, discordant: 0 })(countB, tails);
    return isSignificant(tails.more);
  };
  if (totalA === 0 || totalB === 0 || !isNoticed(totalB)) return null;
  return findFirst(0, totalB, isNoticed);
}

/** An outcome that is tested in the family, as shares from 0 to 1. */
export interface PlannedRow {
  /** Testers who count, among all. */
  readonly counted: number;
  /** Testers with the outcome, among those who count. */
  readonly share: number;
}

/** Rows that will be tested together. */
export interface PlannedFamily {
  readonly rows: readonly PlannedRow[];
  /** The level of the family for an increase, such as 0.025. */
  readonly level: number;
}

/** An increase to plan for: of this row, by this share, found with this probability. */
export interface PlannedIncrease {
  readonly row: PlannedRow;
  readonly increase: number;
  /** The largest increase that does not matter. */
  readonly limit: number;
  readonly power: number;
}

/** How many testers below a number with enough power may have enough too, because counts are whole. */
const SAWTOOTH = 8;

/**
 * The number of testers of each of two groups that finds an increase; null if MAX_TESTERS of each do not, or if the share
 * cannot increase by that, or does not matter if it does.
 */
export function findTestersPerGroup(family: PlannedFamily, planned: PlannedIncrease): number | null {
  const { row, increase, limit } = planned;
  if (increase <= limit || row.counted === 0 || row.share + increase > 1 + ROUNDING) return null;
  const isEnough = (testers: number) => computeIncreasePower(family, planned, testers) >= planned.power;
  let high = 8;
  while (!isEnough(high)) {
    if (high >= MAX_TESTERS) return null;
    high *= 2;
  }
  const found = findFirst(Math.ceil(high / 2), high, isEnough);
  for (let testers = Math.max(2, found - SAWTOOTH); testers < found; testers += 1)
    if (isEnough(testers)) return testers;
  return found;
}

/** The probability to find the increase with this many testers in each group. */
export function computeIncreasePower(
  family: PlannedFamily,
  { row, increase, limit }: Omit<PlannedIncrease, "power">,
  testers: number,
): number {
  const total = Math.round(testers * row.counted);
  if (total === 0) return 0;
  const critical = findPlannedCritical(family, testers);
  const shareB = Math.min(1, row.share + increase);
  const probabilities = row.share > 0 ? binomialProbabilities(total, Math.min(row.share, 1 - 1e-9)) : [1];
  let power = 0;
  for (const [countA, probability] of probabilities.entries()) {
    if (probability < NEGLIGIBLE) continue;
    const counts = { countA, totalA: total, totalB: total };
    const needed = findNoticedCount(counts, (pValue) => pValue <= critical);
    const above = countA + Math.floor(limit * total + ROUNDING) + 1;
    if (needed !== null) power += probability * binomialTail(total, shareB, Math.max(needed, above));
  }
  return power;
}

/** Sums of shares are off by less than this. */
const ROUNDING = 1e-9;

/** Counts that are less probable than this do not change the power. */
const NEGLIGIBLE = 1e-6;

/**
 * The largest p-value that will be significant if rows keep their shares, with the correction that holds for any
 * dependence between them. The test itself uses how they depend, so it finds a little more.
 */
function findPlannedCritical({ rows, level }: PlannedFamily, testers: number): number {
  const attainable = rows.map(({ counted, share }) => {
    const total = Math.round(testers * counted);
    const withOutcome = Math.round(2 * total * share);
    const inB = Math.min(total, withOutcome);
    return fisherTails({ testersA: withOutcome - inB, totalA: total, testersB: inB, totalB: total }).tails;
  });
  const candidates = attainable
    .flatMap((tails) => tails.filter((tail) => tail > 0 && tail <= level))
    .sort((x, y) => x - y);
  const above = findFirst(
    0,
    candidates.length,
    (at) => at === candidates.length || sumAttainable(attainable, candidates[at] ?? 1) > level,
  );
  return Math.max(candidates[above - 1] ?? 0, level / Math.max(1, rows.length));
}

/** The first number from `low` to `high` that satisfies a condition that holds for all larger ones. */
export function findFirst(low: number, high: number, holds: (value: number) => boolean): number {
  let [first, last] = [low, high];
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    if (holds(middle)) last = middle;
    else first = middle + 1;
  }
  return first;
}
