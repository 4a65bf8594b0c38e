/**
 * Finds the first build in which a tag rose, with the test of the gate: Fisher's exact test among equal play of the testers
 * who could meet the tag. Each build is compared with the one before it, and with the first one, which finds gradual
 * rises. The p-values are corrected for all of these comparisons together.
 */
import { adjustFisherPValues, fisherPValue, type TwoByTwo } from "../statistics/fisher.ts";
import { findNoticedTesters } from "../statistics/power.ts";
import { describeDifferentAnalyses } from "./analysis-versions.ts";
import type { GateBuild } from "./build-comparison.ts";
import type { GateRules } from "./config.ts";
import { explainUnmet, findNewRoom, findSubject, type NewRoom } from "./new-room.ts";
import { resolveRule, type TagRule } from "./resolve-rule.ts";
import { selectJudgedPlay } from "./tag-counts.ts";

/**
 * The result: one build, a gradual rise without one, a tag that came with a room that nobody entered before, no significant
 * rise, or too few builds to compare.
 */
export type BlameVerdict = "rose" | "gradual" | "new_room" | "not_shown" | "not_comparable";

/** The comparison of two builds. */
export interface BlameStep {
  readonly a: string;
  readonly b: string;
  /** Whether b is the next comparable build after a; otherwise a is the first one. */
  readonly isConsecutive: boolean;
  /** Judged testers with the tag and all judged testers of both builds. */
  readonly counts: TwoByTwo;
  /** Share in b minus share in a, in percentage points. */
  readonly increase: number;
  readonly p: number;
  /** Corrected for all comparisons. */
  readonly adjustedP: number;
  /** Whether the increase is significant and above the limit of the rule. */
  readonly rose: boolean;
}

/** A build that cannot be compared, and why. */
export interface SkippedBuild {
  readonly build: string;
  readonly reason: string;
}

export interface Blame {
  readonly verdict: BlameVerdict;
  /** The build in which the tag rose, up to which it rose gradually, or with which its room came; otherwise null. */
  readonly build: string | null;
  /** The build that it was compared with; null without a rise. */
  readonly since: string | null;
  /** The room of the tag, if nobody entered it in the first of these builds; otherwise null. */
  readonly newRoom: NewRoom | null;
  readonly steps: readonly BlameStep[];
  readonly skipped: readonly SkippedBuild[];
  /**
   * How many judged testers of the last build a tag that the build before it lacks must affect to be noticed; null if no
   * number is enough, or without comparisons.
   */
  readonly noticedTesters: number | null;
  readonly rule: Pick<TagRule, "maxIncreasePoints" | "minTesters" | "confidence">;
}

/** Finds where a tag rose over builds in the order in which they were played. */
export function blameTag(tag: string, builds: readonly GateBuild[], config: GateRules): Blame {
  const { maxIncreasePoints, minTesters, confidence } = resolveRule(config, "got_larger", tag);
  const rule = { maxIncreasePoints, minTesters, confidence };
  const subject = findSubject(tag, builds);
  const newRoom = findNewRoom(builds, tag, subject);
  const { comparable, skipped } = selectComparable(builds, minTesters, (build) =>
    explainUnmet(build, tag, subject),
  );
  const steps = compareSteps(tag, comparable, rule);
  const consecutive = steps.find(({ isConsecutive, rose }) => isConsecutive && rose);
  const found = consecutive ?? steps.find(({ rose }) => rose);
  const cameWithRoom = newRoom !== null && newRoom.withTag > 0 ? newRoom.build : null;
  const otherwise = cameWithRoom !== null ? "new_room" : steps.length > 0 ? "not_shown" : "not_comparable";
  return {
    verdict: consecutive ? "rose" : found ? "gradual" : otherwise,
    build: found?.b ?? cameWithRoom,
    since: found?.a ?? null,
    newRoom,
    steps,
    skipped,
    noticedTesters: measureNoticed(steps, 1 - confidence),
    rule,
  };
}

/** The builds with enough testers, who could meet the tag, and whose sessions were analyzed as those of the last build. */
function selectComparable(
  builds: readonly GateBuild[],
  minTesters: number,
  explainUnmetIn: (build: GateBuild) => string | null,
): { readonly comparable: GateBuild[]; readonly skipped: SkippedBuild[] } {
  const comparable: GateBuild[] = [];
  const skipped: SkippedBuild[] = [];
  const versions =
    builds.findLast((build) => (build.analysisVersions ?? []).length > 0)?.analysisVersions ?? [];
  for (const build of builds) {
    const reason = explainIncomparable(build, minTesters, versions) ?? explainUnmetIn(build);
    if (reason === null) comparable.push(build);
    else skipped.push({ build: build.version, reason });
  }
  return { comparable, skipped };
}

function explainIncomparable(
  { history, historyFault, analysisVersions }: GateBuild,
  minTesters: number,
  versions: readonly number[],
): string | null {
  if (history === null) return historyFault ?? "it is not known what its testers played";
  const testers = history.filter(({ anonymous }) => !anonymous).length;
  if (testers < minTesters) return `${testers} testers with a device ID; at least ${minTesters} are required`;
  return describeDifferentAnalyses(analysisVersions ?? [], versions);
}

interface ComparedPair {
  readonly a: string;
  readonly b: string;
  readonly isConsecutive: boolean;
  readonly increase: number;
  readonly counts: TwoByTwo;
}

function compareSteps(tag: string, builds: readonly GateBuild[], rule: Blame["rule"]): BlameStep[] {
  const [first] = builds;
  if (first === undefined) return [];
  const consecutive = builds.slice(1).flatMap((b, at) => comparePair(tag, builds[at] ?? first, b, true));
  const fromFirst = builds.slice(2).flatMap((b) => comparePair(tag, first, b, false));
  const pairs = [...consecutive, ...fromFirst];
  const adjusted = adjustFisherPValues(pairs.map(({ counts }) => counts));
  return pairs.map((pair, at) => {
    const adjustedP = adjusted[at] ?? 1;
    const rose = pair.increase > rule.maxIncreasePoints && adjustedP <= 1 - rule.confidence;
    return { ...pair, p: fisherPValue(pair.counts), adjustedP, rose };
  });
}

/** The counts of two builds, as the gate judges them; empty if nobody in one of them answered the question of the tag. */
function comparePair(tag: string, a: GateBuild, b: GateBuild, isConsecutive: boolean): ComparedPair[] {
  const change = { tag, kind: "carried_over", deltaPct: 0, testersA: null, testersB: null };
  const { counts, increase, isAnswered } = selectJudgedPlay(a, b).countTag(change);
  if (counts === null || !isAnswered) return [];
  return [{ a: a.version, b: b.version, isConsecutive, increase, counts }];
}

/** Adds a tag that only testers of b have to the last comparison of neighbors. */
function measureNoticed(steps: readonly BlameStep[], level: number): number | null {
  const last = steps.findLast(({ isConsecutive }) => isConsecutive);
  if (last === undefined) return null;
  const tables = steps.filter((step) => step !== last).map(({ counts }) => counts);
  const { totalA: testersA, totalB: testersB } = last.counts;
  return findNoticedTesters({ tables, testersA, testersB, level });
}
