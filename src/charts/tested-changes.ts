/** Tests each friction change between two builds: whether it is larger than chance, and how large it may be. */

import type { BuildChange, ComparedPair } from "../contract/builds.ts";
import type { ComparedHistory } from "../contract/play-history.ts";
import { describeDifferentAnalyses } from "../gate/analysis-versions.ts";
import { computePointChange } from "../shared/friction-diff.ts";
import { getTagTitle } from "../shared/tags.ts";
import { adjustFisherPValues, type TwoByTwo } from "../statistics/fisher.ts";
import { newcombeInterval } from "../statistics/intervals.ts";
import { findNoticedTesters } from "../statistics/power.ts";
import { type ComparableCounts, countComparable, type UnmatchedPlay } from "./comparable-counts.ts";
import { describePlay } from "./play-notes.ts";

/** Corrected p-values up to this are significant. */
export const SIGNIFICANCE = 0.05;

/**
 * What a change shows: `worse` and `better` are significant, `unclear` is within chance, `unequal` is significant, but
 * explained by more play in one build or by testers without a device, and `untested` cannot be tested.
 */
export type ChangeResult = "worse" | "better" | "unclear" | "unequal" | "untested";

/** The change of one tag with its test. */
export interface TestedChange extends Pick<BuildChange, "tag" | "kind" | "deltaPct"> {
  /** The tag in words. */
  readonly title: string;
  /** Compared testers with the tag, and those who could meet it; null if the service does not report them. */
  readonly testersA: number | null;
  readonly testersB: number | null;
  readonly exposedA: number | null;
  readonly exposedB: number | null;
  /** The share among exposed testers in b minus that in a, in percentage points; null if it is unknown. */
  readonly difference: number | null;
  /** The 95% interval of the difference, in percentage points. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** The two-sided p-value of Fisher's exact test, corrected for the number of tags. */
  readonly pValue: number | null;
  /** The odds of the tag in b divided by those in a that longer play explains. The p-values allow for it. */
  readonly oddsRatio: number;
  /** The corrected p-value of an increase alone, which the gate uses. */
  readonly increasePValue: number | null;
  readonly result: ChangeResult;
}

/** All changes between two builds with their tests. */
export interface TestedComparison extends Pick<ComparableCounts, "basis" | "testersA" | "testersB"> {
  readonly changes: readonly TestedChange[];
  /** Why no change can be tested: different versions of the rules analyzed the sessions. Null if one did. */
  readonly differentAnalyses: string | null;
  /** How the builds were made comparable, and what does not count: one sentence each, with texts of the service. */
  readonly notes: readonly string[];
  /**
   * Computes the smallest number of compared testers of b that a problem unknown in a must affect to be significant among
   * all tags. Null if even a problem that affects all of them would not be.
   */
  readonly findSmallestVisible: () => number | null;
}

/** Tests all changes of a comparison, given what each tester played. */
export function testChanges(comparison: ComparedPair, history: ComparedHistory): TestedComparison {
  const { buildA, buildB } = comparison;
  const differentAnalyses = describeDifferentAnalyses(
    buildA.analysisVersions ?? [],
    buildB.analysisVersions ?? [],
  );
  const counts = countComparable(comparison, history);
  const { basis, testersA, testersB, oddsRatio, unmatched } = counts;
  const { tables } = counts;
  const testable = differentAnalyses === null ? tables.filter((table) => table !== null) : [];
  const pValues = testTables(testable);
  return {
    basis,
    testersA,
    testersB,
    differentAnalyses,
    notes: describePlay(counts, comparison),
    changes: comparison.diff.changes.map((change, at) => {
      const table = tables[at] ?? null;
      return toTestedChange(change, table, (table && pValues.get(table)) ?? null, unmatched);
    }),
    findSmallestVisible: () =>
      findNoticedTesters(
        { tables: testable, testersA, testersB, level: SIGNIFICANCE, oddsRatio },
        "two-sided",
      ),
  };
}

/** The corrected p-values of one table. */
interface TablePValues {
  readonly twoSided: number;
  readonly increase: number;
  /** As `twoSided`, without the allowance for longer play. */
  readonly withoutAllowance: number;
}

function testTables(tables: readonly TwoByTwo[]): ReadonlyMap<TwoByTwo, TablePValues> {
  const withOddsRatio = (choose: (oddsRatio: number) => number) =>
    tables.map((table) => ({ ...table, oddsRatio: choose(table.oddsRatio ?? 1) }));
  const twoSided = adjustFisherPValues(tables, "two-sided");
  // Longer play in a does not explain an increase.
  const increase = adjustFisherPValues(withOddsRatio((oddsRatio) => Math.max(1, oddsRatio)));
  const withoutAllowance = adjustFisherPValues(
    withOddsRatio(() => 1),
    "two-sided",
  );
  return new Map(
    tables.map((table, at) => [
      table,
      {
        twoSided: twoSided[at] ?? 1,
        increase: increase[at] ?? 1,
        withoutAllowance: withoutAllowance[at] ?? 1,
      },
    ]),
  );
}

function toTestedChange(
  change: BuildChange,
  table: TwoByTwo | null,
  pValues: TablePValues | null,
  unmatched: UnmatchedPlay | null,
): TestedChange {
  const difference = table && computePointChange(table.testersA, table.totalA, table.testersB, table.totalB);
  return {
    tag: change.tag,
    title: getTagTitle(change),
    kind: change.kind,
    deltaPct: change.deltaPct,
    testersA: table?.testersA ?? change.testersA ?? null,
    testersB: table?.testersB ?? change.testersB ?? null,
    exposedA: table?.totalA ?? change.testersExposedA ?? null,
    exposedB: table?.totalB ?? change.testersExposedB ?? null,
    difference,
    interval: table && pValues && toPoints(newcombeInterval(table)),
    pValue: pValues?.twoSided ?? null,
    oddsRatio: table?.oddsRatio ?? 1,
    increasePValue: pValues?.increase ?? null,
    result: judge(difference, pValues, unmatched),
  };
}

const toPoints = ({ low, high }: { readonly low: number; readonly high: number }) => ({
  low: low * 100,
  high: high * 100,
});

function judge(
  difference: number | null,
  pValues: TablePValues | null,
  unmatched: UnmatchedPlay | null,
): ChangeResult {
  if (difference === null || pValues === null) return "untested";
  if (pValues.twoSided > SIGNIFICANCE)
    return pValues.withoutAllowance <= SIGNIFICANCE ? "unequal" : "unclear";
  // More play gives testers more chances to meet a problem: it explains an increase in b, or a decrease from a.
  const explained = unmatched?.unequalPlay?.more === (difference > 0 ? "b" : "a");
  if (unmatched?.hasUnknownTesters || explained) return "unequal";
  return difference > 0 ? "worse" : "better";
}

/** Whether a change is larger than chance for a test of increases alone, as the gate runs it, but not in both directions. */
export const isIncreaseForGate = ({ difference, pValue, increasePValue }: TestedChange): boolean =>
  difference !== null &&
  difference > 0 &&
  pValue !== null &&
  pValue > SIGNIFICANCE &&
  increasePValue !== null &&
  increasePValue <= SIGNIFICANCE;
