/**
 * The power of Fisher's tests of a family of outcomes, such as the tags that the gate checks: how many testers a new outcome
 * must affect to be noticed, how likely that is, and how many testers it needs. The test and its correction are exact, and
 * so is the power (W. Feller, "An Introduction to Probability Theory and Its Applications", volume 1, 1968, chapter VI).
 */
import { binomialTail } from "./binomial.ts";
import { sumAttainable } from "./corrections.ts";
import { type Alternative, MAX_TESTERS, type TwoByTwo, testDirections } from "./fisher.ts";

/**
 * The default probability with which a new outcome must be noticed. With 20 tested outcomes and one more that affects 40%
 * of testers, 20 testers per group are enough.
 */
export const REQUIRED_POWER = 0.7;

/** Outcomes that are tested together, and two groups of testers. */
export interface TestedFamily {
  readonly tables: readonly TwoByTwo[];
  readonly testersA: number;
  readonly testersB: number;
  /** The corrected p-value of a significant outcome is at most this. */
  readonly level: number;
  /** A new outcome must affect more than this many percent of testers. */
  readonly maxIncreasePoints: number;
  /** The odds of an outcome in b divided by those in a if this many testers have it and the groups do not differ. Default: 1. */
  readonly oddsRatio?: (withTag: number) => number;
}

/** The same outcomes if both groups play equally long. */
export const withEqualPlayTime = ({ oddsRatio: _, tables, ...checked }: TestedFamily): TestedFamily => ({
  ...checked,
  tables: tables.map((table) => ({ ...table, oddsRatio: 1 })),
});

/**
 * The smallest number of testers of b that a new outcome, which no tester of a has, must affect so that its corrected
 * p-value is significant. Null if not even an outcome that affects all of them would be.
 */
export function findNoticedTesters(
  { tables, testersA, testersB, level, oddsRatio = () => 1 }: Omit<TestedFamily, "maxIncreasePoints">,
  alternative: Alternative = "greater",
): number | null {
  const family = tables.flatMap((table) => testDirections(table, alternative).attainable);
  const isSignificant = (testers: number) => {
    const counts = { testersA: 0, totalA: testersA, testersB: testers, totalB: testersB };
    const added = testDirections({ ...counts, oddsRatio: oddsRatio(testers) }, alternative);
    return sumAttainable([...family, ...added.attainable], added.pValue) <= level;
  };
  if (testersB === 0 || !isSignificant(testersB)) return null;
  return findFirst(1, testersB, isSignificant);
}

/** As above, and above the limit for an increase. */
export function findFailingTesters(checked: TestedFamily): number | null {
  const noticed = findNoticedTesters(checked);
  const aboveLimit = Math.floor((checked.maxIncreasePoints * checked.testersB) / 100 + 1e-9) + 1;
  if (noticed === null || aboveLimit > checked.testersB) return null;
  return Math.max(noticed, aboveLimit);
}

/** The probability to notice a new outcome that affects this share of all testers. Both are from 0 to 1. */
export function computePower(checked: TestedFamily, share: number): number {
  const needed = findFailingTesters(checked);
  return needed === null ? 0 : binomialTail(checked.testersB, share, needed);
}

/** The number of testers of b that is enough, if a keeps its testers; null if no number is. */
export function findEnoughTestersB(
  checked: TestedFamily,
  share: number,
  power = REQUIRED_POWER,
): number | null {
  return findEnough(
    checked.testersB,
    (testersB) => resize(checked, checked.testersA, testersB),
    share,
    power,
  );
}

/** The number of testers per group that is enough; null if no number is. */
export function findEnoughTesters(
  checked: TestedFamily,
  share: number,
  power = REQUIRED_POWER,
): number | null {
  return findEnough(1, (testers) => resize(checked, testers, testers), share, power);
}

function findEnough(
  from: number,
  sized: (testers: number) => TestedFamily,
  share: number,
  power: number,
): number | null {
  const isEnough = (testers: number) => computePower(sized(testers), share) >= power;
  let high = Math.max(1, from);
  while (!isEnough(high)) {
    if (high >= MAX_TESTERS) return null;
    high *= 2;
  }
  // Power rises in steps and falls slightly between them, so start well below the number that halving finds.
  const found = findFirst(Math.max(1, from), high, isEnough);
  for (let testers = Math.max(1, from, found - SAWTOOTH); testers < found; testers += 1)
    if (isEnough(testers)) return testers;
  return found;
}

/** How many testers below a number with enough power may have enough too. */
const SAWTOOTH = 8;

/** The same outcomes with other numbers of testers: each keeps its share of all testers, and the groups their play time. */
function resize(checked: TestedFamily, testersA: number, testersB: number): TestedFamily {
  const tables = checked.tables.map((table) => {
    const share = (table.testersA + table.testersB) / Math.max(1, table.totalA + table.totalB);
    const withTag = Math.round(share * (testersA + testersB));
    const inB = Math.min(testersB, withTag);
    const { oddsRatio = 1 } = table;
    return { testersA: withTag - inB, totalA: testersA, testersB: inB, totalB: testersB, oddsRatio };
  });
  const { oddsRatio = () => 1 } = checked;
  const scale = (checked.testersA + checked.testersB) / Math.max(1, testersA + testersB);
  return { ...checked, tables, testersA, testersB, oddsRatio: (withTag) => oddsRatio(withTag * scale) };
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
