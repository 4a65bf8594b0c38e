/** Who is in which of two groups, and whether those who are in one only are alike. */
import { testOthersMore } from "../statistics/burden.ts";
import { fisherPValue } from "../statistics/fisher.ts";
import type { AlignedTesters } from "./align.ts";
import type { MeasuredRow } from "./drafts.ts";
import type { TesterFacts } from "./facts.ts";
import type { Metric } from "./metrics.ts";

/** Testers who had played no earlier build, among those of whom it is known. */
interface NewTesters {
  readonly count: number;
  readonly total: number;
}

export interface ComparedTesters {
  readonly onlyA: number;
  readonly onlyB: number;
  readonly both: number;
  readonly newTesters: { readonly a: NewTesters; readonly b: NewTesters };
  /**
   * Whether testers in one group only are new as often as those in the other, apart from chance. New testers may be weaker,
   * which looks like a worse build. Null if it is not known who is new.
   */
  readonly areOthersAlike: boolean | null;
  /**
   * Whether only testers in both groups are compared: the others are not alike, or those of b meet more than testers in both
   * groups explain.
   */
  readonly comparesPairsOnly: boolean;
}

/** Testers in one group only are not alike if alike ones would differ as much in who is new with at most this probability. */
const NEW_LEVEL = 0.05;
/** The same for what they meet. Nothing is lost but a part of the testers if alike ones are called unlike. */
const BURDEN_LEVEL = 0.15;
/** Fewer testers in both groups than this cannot represent all others. */
const MIN_PAIRS = 5;
/** Nor can fewer than this share of the others. */
const MIN_PAIRED_SHARE = 0.5;

/** Compares the testers. `rows` are all that is measured of them. */
export function compareTesters(
  { onlyA, onlyB, both }: AlignedTesters,
  rows: readonly MeasuredRow[],
): ComparedTesters {
  const sizes = { onlyA: onlyA.length, onlyB: onlyB.length, both: both.length };
  const areOthersAlike = areAlike(countNew(onlyA), countNew(onlyB));
  const fewest = Math.max(MIN_PAIRS, MIN_PAIRED_SHARE * Math.min(onlyA.length, onlyB.length));
  const outcomes = rows.filter(({ metric, isNewRoom }) => isOutcome(metric) && !isNewRoom);
  return {
    ...sizes,
    newTesters: {
      a: countNew([...onlyA, ...both.map(([inA]) => inA)]),
      b: countNew([...onlyB, ...both.map(([, inB]) => inB)]),
    },
    areOthersAlike,
    comparesPairsOnly:
      both.length >= fewest &&
      (areOthersAlike === false ||
        testOthersMore(
          sizes,
          outcomes.map(({ values }) => values),
        ) <= BURDEN_LEVEL),
  };
}

const isOutcome = ({ decides, unit, worse }: Metric) => decides && unit === "share" && worse === "more";

/**
 * Whether newcomers who are weaker than the others could be mistaken for a worse build: the groups differ in who is new,
 * and too few testers are in both to compare them with themselves.
 */
export const mayDifferByTesters = ({ areOthersAlike, comparesPairsOnly }: ComparedTesters): boolean =>
  areOthersAlike === false && !comparesPairsOnly;

function countNew(testers: readonly TesterFacts[]): NewTesters {
  const known = testers.filter(({ isReturning }) => isReturning !== null);
  return { count: known.filter(({ isReturning }) => !isReturning).length, total: known.length };
}

function areAlike(a: NewTesters, b: NewTesters): boolean | null {
  if (a.total === 0 || b.total === 0) return null;
  const counts = { testersA: a.count, totalA: a.total, testersB: b.count, totalB: b.total };
  return fisherPValue(counts, "two-sided") > NEW_LEVEL;
}
