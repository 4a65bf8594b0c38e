/** Tests each friction change between two builds: whether it is larger than chance, and how large it may be. */
import type { BuildChange, BuildComparison, ComparedBuild } from "../contract/builds.ts";
import { computePointChange } from "../shared/friction-diff.ts";
import { adjustPValues, MAX_TESTERS, type TagCounts } from "../shared/statistics/fisher.ts";
import { newcombeInterval } from "../shared/statistics/newcombe.ts";
import { getTagTitle } from "../shared/tags.ts";

/** Corrected p-values up to this are significant. */
export const SIGNIFICANCE = 0.05;
/** Sessions per tester in one build divided by those in the other, from which play counts as unequal. */
export const UNEQUAL_PLAY = 1.1;
/** Share of testers without a device id in a build, above which the testers do not count as independent. */
export const MAX_WITHOUT_DEVICE = 0.1;

/**
 * What a change shows: `worse` and `better` are significant, `unclear` is within chance, `unequal` is significant, but
 * explained by more play in one build or by testers without a device, and `untested` cannot be tested.
 */
export type ChangeResult = "worse" | "better" | "unclear" | "unequal" | "untested";

/** The change of one tag with its test. */
export interface TestedChange extends Pick<BuildChange, "tag" | "kind" | "deltaPct"> {
  /** The tag in words. */
  readonly title: string;
  /** Testers with the tag, and testers who could meet it; null if the service does not report them. */
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
  readonly result: ChangeResult;
}

/** All changes between two builds with their tests. */
export interface TestedComparison {
  readonly changes: readonly TestedChange[];
  /** Whether shares are among the testers who could meet a tag, or among all testers because that is unknown. */
  readonly basis: "exposed" | "all";
  /** The version whose testers have more sessions each, with sessions per tester in a and in b; null if play is equal. */
  readonly unequalPlay: { readonly more: "a" | "b"; readonly perTester: readonly [number, number] } | null;
  /** Whether a build has too many testers without a device id. */
  readonly hasUnknownTesters: boolean;
}

/** Tests all changes of a comparison. */
export function testChanges(comparison: BuildComparison): TestedComparison {
  const { buildA, buildB, diff } = comparison;
  const { basis, tables } = toTables(comparison);
  const testable = tables.flatMap((table) => (table && isTestable(table) ? [table] : []));
  const pValues = new Map(adjustPValues(testable, "two-sided").map((p, at) => [testable[at], p]));
  const unequalPlay = findUnequalPlay(buildA, buildB);
  const hasUnknownTesters = [buildA, buildB].some(hasTooManyWithoutDevice);
  const changes = diff.changes.map((change, at): TestedChange => {
    const table = tables[at] ?? null;
    const pValue = (table && pValues.get(table)) ?? null;
    const difference =
      table && isTestable(table)
        ? computePointChange(table.testersA, table.totalA, table.testersB, table.totalB)
        : null;
    return {
      tag: change.tag,
      title: getTagTitle(change),
      kind: change.kind,
      deltaPct: change.deltaPct,
      testersA: change.testersA ?? null,
      testersB: change.testersB ?? null,
      exposedA: table?.totalA ?? null,
      exposedB: table?.totalB ?? null,
      difference,
      interval: table && difference !== null ? toPoints(newcombeInterval(table)) : null,
      pValue,
      result: judge(difference, pValue, hasUnknownTesters, unequalPlay?.more ?? null),
    };
  });
  return { changes, basis, unequalPlay, hasUnknownTesters };
}

const isExposureKnown = ({ testersExposedA, testersExposedB }: BuildChange) =>
  typeof testersExposedA === "number" && typeof testersExposedB === "number";

/** The table of each change; null if the service does not report the testers with the tag. */
function toTables(comparison: BuildComparison) {
  const { changes } = comparison.diff;
  const basis: TestedComparison["basis"] = changes.every(isExposureKnown) ? "exposed" : "all";
  return { basis, tables: changes.map((change) => toTable(change, comparison, basis)) };
}

/**
 * The testers with the tag, and those who could meet it, in both builds. If no tester of b entered the room of a tag, the
 * tag cannot be tested, because nobody could show that the problem is gone.
 */
function toTable(
  { testersA, testersB, testersExposedA, testersExposedB }: BuildChange,
  { buildA, buildB }: BuildComparison,
  basis: TestedComparison["basis"],
): TagCounts | null {
  if (typeof testersA !== "number" || typeof testersB !== "number") return null;
  // Nobody could enter a room that only b has. There, all testers of both builds count.
  const isExposed = basis === "exposed" && testersExposedA !== 0;
  const totalA = isExposed ? (testersExposedA ?? 0) : buildA.testersInBatch;
  const totalB = isExposed ? (testersExposedB ?? 0) : buildB.testersInBatch;
  // A service may not report fewer testers than have the tag.
  return { testersA, testersB, totalA: Math.max(totalA, testersA), totalB: Math.max(totalB, testersB) };
}

const isTestable = ({ totalA, totalB }: TagCounts) =>
  totalA > 0 && totalB > 0 && Math.max(totalA, totalB) <= MAX_TESTERS;

const toPoints = ({ low, high }: { readonly low: number; readonly high: number }) => ({
  low: low * 100,
  high: high * 100,
});

function judge(
  difference: number | null,
  pValue: number | null,
  hasUnknownTesters: boolean,
  morePlay: "a" | "b" | null,
): ChangeResult {
  if (difference === null || pValue === null) return "untested";
  if (pValue > SIGNIFICANCE) return "unclear";
  // More play gives testers more chances to meet a problem: it explains an increase in b, or a decrease from a.
  if (hasUnknownTesters || morePlay === (difference > 0 ? "b" : "a")) return "unequal";
  return difference > 0 ? "worse" : "better";
}

function findUnequalPlay(a: ComparedBuild, b: ComparedBuild): TestedComparison["unequalPlay"] {
  const [inA, inB] = [sessionsPerTester(a), sessionsPerTester(b)];
  if (inA === null || inB === null) return null;
  const ratio = Math.max(inA / inB, inB / inA);
  return ratio < UNEQUAL_PLAY ? null : { more: inA > inB ? "a" : "b", perTester: [inA, inB] };
}

const sessionsPerTester = ({ sessionCount, testersInBatch }: ComparedBuild): number | null =>
  sessionCount && testersInBatch > 0 ? sessionCount / testersInBatch : null;

const hasTooManyWithoutDevice = ({ testersWithoutDevice, testersInBatch }: ComparedBuild) =>
  (testersWithoutDevice ?? 0) > testersInBatch * MAX_WITHOUT_DEVICE;

/**
 * The smallest number of testers of b that a problem unknown in a must affect to be significant among all tags; null if
 * even a problem that affects all of them would not be.
 */
export function findSmallestVisible(comparison: BuildComparison): number | null {
  const { buildA, buildB } = comparison;
  const tables = toTables(comparison).tables.flatMap((table) => (table && isTestable(table) ? [table] : []));
  const [totalA, totalB] = [buildA.testersInBatch, buildB.testersInBatch];
  const isVisible = (testersB: number) =>
    (adjustPValues([...tables, { testersA: 0, totalA, testersB, totalB }], "two-sided").at(-1) ?? 1) <=
    SIGNIFICANCE;
  if (totalA === 0 || totalB === 0 || Math.max(totalA, totalB) > MAX_TESTERS) return null;
  if (!isVisible(totalB)) return null;
  let [low, high] = [1, totalB];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isVisible(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
