/**
 * The counts by which two builds are compared. They are those of the gate, taken from what each tester played, with an
 * allowance for longer play in either build. If that is not known, they are the counts of the service, and a change that
 * unequal numbers of sessions can explain does not count.
 */

import type { BuildChange, ComparedBuild, ComparedPair } from "../contract/builds.ts";
import type { ComparedHistory, KnownHistory, UnknownHistory } from "../contract/play-history.ts";
import { toGateBuild, toTagChanges } from "../gate/build-comparison.ts";
import { dropIncompleteHistory } from "../gate/complete-history.ts";
import { type MatchedSummary, selectJudgedPlay } from "../gate/tag-counts.ts";
import { findTagQuestion } from "../shared/tag-subjects.ts";
import { MAX_TESTERS, type TwoByTwo } from "../statistics/fisher.ts";

/**
 * Sessions per tester in one build divided by those in the other, from which play counts as unequal if it is not known
 * what each tester played. With 10 to 50 testers, equal builds then show a change in at most 5% of simulated runs, but in
 * up to 5.6% from 1.15 (docs/statistics.md).
 */
export const UNEQUAL_PLAY = 1.1;
/** Share of testers without a device id in a build, above which the testers do not count as independent. */
export const MAX_WITHOUT_DEVICE = 0.1;

/** The counts of all changes, and how they were made comparable. */
export interface ComparableCounts {
  /** For each change; null if it cannot be tested. */
  readonly tables: readonly (TwoByTwo | null)[];
  /** The testers of both builds that are compared. */
  readonly testersA: number;
  readonly testersB: number;
  /** Whether shares are among the testers who could meet a tag, or among all testers because that is unknown. */
  readonly basis: "exposed" | "all";
  /** The odds of a tag in b divided by those in a that unequal play explains if this many testers have the tag. */
  readonly oddsRatio: (withTag: number) => number;
  /** What was left out to compare equal play; null if it is not known what each tester played. */
  readonly matched: MatchedSummary | null;
  /** What does not count because it is not known what each tester played; null if it is known. */
  readonly unmatched: UnmatchedPlay | null;
}

export interface UnmatchedPlay {
  readonly reason: UnknownHistory;
  /** The version whose testers have more sessions each, with sessions per tester in a and in b; null if play is equal. */
  readonly unequalPlay: { readonly more: "a" | "b"; readonly perTester: readonly [number, number] } | null;
  /** Whether a build has too many testers without a device id. */
  readonly hasUnknownTesters: boolean;
}

/** The counts of a comparison. */
export function countComparable(comparison: ComparedPair, history: ComparedHistory): ComparableCounts {
  if (typeof history === "string") return countReported(comparison, history);
  return isComplete(comparison, history)
    ? countMatched(comparison, history)
    : countReported(comparison, "invalid");
}

/** Whether the history has all testers and tags that the comparison counts. Otherwise a problem could be hidden. */
function isComplete(comparison: ComparedPair, history: KnownHistory): boolean {
  const changes = toTagChanges(comparison);
  const sides = [
    ["a", comparison.buildA],
    ["b", comparison.buildB],
  ] as const;
  return sides.every(([side, compared]) => {
    const build = toGateBuild(compared, { history: history[side] });
    return dropIncompleteHistory(build, changes, side).history !== null;
  });
}

/** The counts of the gate. If a room was removed, nobody could show that its problems are gone. */
function countMatched(comparison: ComparedPair, history: KnownHistory): ComparableCounts {
  const { buildA, buildB } = comparison;
  const { testersA, testersB, oddsRatio, matched, countTag } = selectJudgedPlay(
    { testers: buildA.testersInBatch, history: history.a },
    { testers: buildB.testersInBatch, history: history.b },
    "two-sided",
  );
  const tables = toTagChanges(comparison).map((change) => {
    const { counts, isRoomGone } = countTag(change);
    return counts && !isRoomGone && isTestable(counts) ? counts : null;
  });
  return { tables, testersA, testersB, basis: "exposed", oddsRatio, matched, unmatched: null };
}

/** The counts that the service reports. */
function countReported(comparison: ComparedPair, reason: UnknownHistory): ComparableCounts {
  const { buildA, buildB, diff } = comparison;
  const basis = diff.changes.every(reportsWhoCouldMeet) ? "exposed" : "all";
  return {
    tables: diff.changes.map((change) => toReportedTable(change, comparison, basis)),
    testersA: buildA.testersInBatch,
    testersB: buildB.testersInBatch,
    basis,
    oddsRatio: () => 1,
    matched: null,
    unmatched: {
      reason,
      unequalPlay: findUnequalPlay(buildA, buildB),
      hasUnknownTesters: [buildA, buildB].some(hasTooManyWithoutDevice),
    },
  };
}

const reportsWhoCouldMeet = ({ testersExposedA, testersExposedB }: BuildChange) =>
  typeof testersExposedA === "number" && typeof testersExposedB === "number";

function toReportedTable(
  { tag, testersA, testersB, testersExposedA, testersExposedB }: BuildChange,
  { buildA, buildB }: ComparedPair,
  basis: ComparableCounts["basis"],
): TwoByTwo | null {
  if (typeof testersA !== "number" || typeof testersB !== "number") return null;
  // Nobody could enter a room that only b has. There, all testers of both builds count.
  const isExposed = basis === "exposed" && (testersExposedA !== 0 || findTagQuestion(tag) !== null);
  const totalA = isExposed ? (testersExposedA ?? 0) : buildA.testersInBatch;
  const totalB = isExposed ? (testersExposedB ?? 0) : buildB.testersInBatch;
  // A service may not report fewer testers than have the tag.
  const counts = {
    testersA,
    testersB,
    totalA: Math.max(totalA, testersA),
    totalB: Math.max(totalB, testersB),
  };
  return isTestable(counts) ? counts : null;
}

const isTestable = ({ totalA, totalB }: TwoByTwo) =>
  totalA > 0 && totalB > 0 && Math.max(totalA, totalB) <= MAX_TESTERS;

function findUnequalPlay(a: ComparedBuild, b: ComparedBuild): UnmatchedPlay["unequalPlay"] {
  const [inA, inB] = [sessionsPerTester(a), sessionsPerTester(b)];
  if (inA === null || inB === null) return null;
  const ratio = Math.max(inA / inB, inB / inA);
  return ratio < UNEQUAL_PLAY ? null : { more: inA > inB ? "a" : "b", perTester: [inA, inB] };
}

const sessionsPerTester = ({ sessionCount, testersInBatch }: ComparedBuild): number | null =>
  sessionCount && testersInBatch > 0 ? sessionCount / testersInBatch : null;

const hasTooManyWithoutDevice = ({ testersWithoutDevice, testersInBatch }: ComparedBuild) =>
  (testersWithoutDevice ?? 0) > testersInBatch * MAX_WITHOUT_DEVICE;
