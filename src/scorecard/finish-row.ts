/** Turns the draft of a row and the results of its family into the row. */
import { sumAttainable } from "../statistics/corrections.ts";
import type { RowTest, TestedRows } from "../statistics/family.ts";
import { findNoticedCount } from "../statistics/family-power.ts";
import { fisherTails } from "../statistics/fisher.ts";
import { exactLowerBound, type Interval } from "../statistics/intervals.ts";
import { estimateMeanDifference } from "../statistics/mean-range.ts";
import { createCounters, findActual, type GroupSizes } from "../statistics/relabel.ts";
import {
  countPairs,
  countShares,
  createMeanTest,
  createShareTest,
  splitValues,
} from "../statistics/row-tests.ts";
import { estimateShareDifference } from "../statistics/share-range.ts";
import type { Draft } from "./drafts.ts";
import type { Metric } from "./metrics.ts";
import {
  agreeWithTest,
  decideStatus,
  describeSide,
  isIntroduced,
  isRareInA,
  type RowSide,
  type ScorecardRow,
} from "./rows.ts";

/** What decides about the rows of a family. */
export interface FamilyResults {
  readonly sizes: GroupSizes;
  readonly tested: TestedRows;
  readonly level: number;
  /** The largest change for the worse that does not matter; for a new room, the largest share. */
  readonly limit: number | null;
}

/** The test of a row against the other group. */
export const createRowTest = (
  { unit }: Metric,
  sizes: GroupSizes,
  values: Float64Array,
  shareCounter = createCounters(),
): RowTest =>
  unit === "share" ? createShareTest(sizes, values, shareCounter) : createMeanTest(sizes, values);

/** The row of a draft, which is the one at `at` of its kind in the family: comparable, or of a new room. */
export function finishDraft(draft: Draft, at: number, results: FamilyResults): ScorecardRow {
  const base = { ...describeDraft(draft, results.sizes), limit: results.limit };
  if (draft.reason !== null) return { ...base, status: "not comparable", reason: draft.reason };
  const row = draft.isNewRoom ? finishNewRoom(base, at, results) : finishComparable(base, draft, at, results);
  return { ...row, isRareInA: isRareInA(row), isIntroduced: isIntroduced(row) };
}

/** A new room is worse exactly if its share is surely above the limit: the ends of both use the same level. */
function finishNewRoom(
  base: ScorecardRow,
  at: number,
  { tested, level, limit }: FamilyResults,
): ScorecardRow {
  const adjustedPValue = tested.fixed[at] ?? 1;
  const isWorse = adjustedPValue <= level;
  const bound = exactLowerBound(base.b.count ?? 0, base.b.total, tested.more.critical);
  const range = agreeWithTest({ low: bound, high: 1 }, { isMore: isWorse, isFewer: false }, limit ?? 0);
  return { ...base, status: isWorse ? "worse" : "unclear", range, adjustedPValue };
}

function finishComparable(
  base: ScorecardRow,
  draft: Draft,
  at: number,
  results: FamilyResults,
): ScorecardRow {
  const { sizes, tested, level, limit } = results;
  const isMore = (tested.more.adjusted[at] ?? 1) <= level;
  const isFewer = (tested.fewer.adjusted[at] ?? 1) <= level;
  const confidence = 1 - tested.more.critical - tested.fewer.critical;
  const estimate =
    base.unit === "share"
      ? estimateShareDifference(countShares(sizes, draft.values), confidence)
      : estimateMeanDifference(splitValues(sizes, draft.values), confidence);
  const range = agreeWithTest(estimate, { isMore, isFewer });
  const direction = estimate.value >= 0 ? tested.more : tested.fewer;
  const status = decideStatus({ worse: base.worse, isMore, isFewer, range, limit });
  return {
    ...base,
    status,
    restsOnPractice: status === "better" && restsOnPairs(draft, sizes, tested),
    difference: estimate.value,
    range: hasEnds(range) ? range : null,
    noticed: findNoticed(base, results),
    pValue: direction.pValues[at] ?? null,
    adjustedPValue: direction.adjusted[at] ?? null,
  };
}

/** How many testers of b would be called worse: with another count, the row takes another part of the family's level. */
function findNoticed({ unit, worse, a, b }: ScorecardRow, { tested, level }: FamilyResults): number | null {
  if (unit !== "share" || worse !== "more") return null;
  const [countA, countB] = [a.count ?? 0, b.count ?? 0];
  const own = fisherTails({ testersA: countA, totalA: a.total, testersB: countB, totalB: b.total }).tails;
  return findNoticedCount(
    { countA, totalA: a.total, totalB: b.total },
    (pValue) => tested.correctMore(pValue) - sumAttainable([own], pValue) + pValue <= level,
  );
}

const hasEnds = ({ low, high }: Interval) => Number.isFinite(low) && Number.isFinite(high);

/** Whether testers in one group only would not show the change for the better. */
function restsOnPairs({ metric, values }: Draft, sizes: GroupSizes, { more, fewer }: TestedRows): boolean {
  const single = sizes.onlyA + sizes.onlyB;
  if (!values.subarray(single).some((value) => !Number.isNaN(value))) return false;
  const tails = { more: 1, fewer: 1 };
  createRowTest(metric, sizes, values.slice().fill(Number.NaN, single))(findActual(sizes), tails);
  return metric.worse === "more" ? tails.fewer > fewer.critical : tails.more > more.critical;
}

function describeDraft(draft: Draft, sizes: GroupSizes): ScorecardRow {
  const { metric, subject, room, isNewRoom, values } = draft;
  const { name, family, worse, unit, decides } = metric;
  return {
    metric: subject === null ? name : `${name}:${subject}`,
    name,
    subject,
    room,
    family,
    worse,
    unit,
    decides,
    status: "unclear",
    reason: null,
    isNewRoom,
    isRareInA: false,
    isIntroduced: false,
    restsOnPractice: false,
    ...(unit === "share" ? describeShares(sizes, values) : describeMeans(unit, sizes, values)),
    limit: null,
    difference: null,
    range: null,
    noticed: null,
    pValue: null,
    adjustedPValue: null,
  };
}

type Sides = Pick<ScorecardRow, "a" | "b" | "paired">;

function describeShares(sizes: GroupSizes, values: Float64Array): Sides {
  const { a, b, pairs } = countShares(sizes, values);
  const paired = countPairs({ pairs });
  const describe = (count: number, total: number): RowSide => ({
    total,
    count,
    value: total === 0 ? null : count / total,
  });
  return {
    a: describe(a.count + pairs.both + pairs.onlyA, a.total + paired),
    b: describe(b.count + pairs.both + pairs.onlyB, b.total + paired),
    paired,
  };
}

function describeMeans(unit: Metric["unit"], sizes: GroupSizes, values: Float64Array): Sides {
  const { a, b, pairs } = splitValues(sizes, values);
  return {
    a: describeSide(unit, [...a, ...pairs.map(([inA]) => inA)]),
    b: describeSide(unit, [...b, ...pairs.map(([, inB]) => inB)]),
    paired: pairs.length,
  };
}
