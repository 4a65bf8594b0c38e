/**
 * Finds the first build in which a row of the scorecard rose, such as a tag. Each build is compared with the one before it, and
 * with the first one, which finds gradual rises. The row is chosen before, so its own p-values are corrected for all of these
 * comparisons together (Bonferroni), and not for the other rows.
 */
import type { GroupFacts, ReadFacts } from "../scorecard/facts.ts";
import { DEFAULT_OPTIONS } from "../scorecard/options.ts";
import type { ScorecardRow } from "../scorecard/rows.ts";
import { computeScorecard } from "../scorecard/scorecard.ts";
import { getRowId } from "../scorecard/titled-rows.ts";
import type { TwoByTwo } from "../statistics/fisher.ts";
import { describeDifferentAnalyses } from "./analysis-versions.ts";
import type { GateRules } from "./config.ts";
import { toScorecardOptions } from "./judge.ts";
import { resolveRule, type TagRule } from "./resolve-rule.ts";

/** A build, and what its testers did; null if it is not known. */
export interface BlamedBuild {
  readonly version: string;
  readonly facts: ReadFacts | null;
}

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
  /** Testers who count, and those of them with the outcome. */
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

/** A room that nobody entered in the builds before. */
export interface NewRoom {
  readonly room: string;
  /** The first of the builds in which testers entered it. */
  readonly build: string;
  /** The builds before, the oldest first. There is at least one. */
  readonly before: readonly string[];
  /** Testers who entered the room in the first build, and those of them with the outcome. */
  readonly entered: number;
  readonly withTag: number;
}

export interface Blame {
  readonly verdict: BlameVerdict;
  /** The build in which the row rose, up to which it rose gradually, or with which its room came; otherwise null. */
  readonly build: string | null;
  /** The build that it was compared with; null without a rise. */
  readonly since: string | null;
  /** The room of the row, if nobody entered it in the first of these builds; otherwise null. */
  readonly newRoom: NewRoom | null;
  readonly steps: readonly BlameStep[];
  readonly skipped: readonly SkippedBuild[];
  /** How many testers of the last build it must affect to be noticed; null if no number is enough, or without comparisons. */
  readonly noticedTesters: number | null;
  readonly rule: Pick<TagRule, "maxIncreasePoints" | "minTesters" | "confidence">;
}

/** Finds where a row rose over builds in the order in which they were played. `id` is a tag or a metric. */
export function blameRow(id: string, builds: readonly BlamedBuild[], config: GateRules): Blame {
  const { maxIncreasePoints, minTesters, confidence } = resolveRule(config, "got_larger", id);
  const rule = { maxIncreasePoints, minTesters, confidence };
  const { comparable, skipped } = selectComparable(builds, minTesters);
  const pairs = comparePairs(id, comparable, { config, confidence });
  const steps = toSteps(pairs, rule);
  const newRoom = findNewRoom(pairs, comparable);
  const isCompared = (version: string) =>
    version === newRoom?.build || steps.some(({ a, b }) => a === version || b === version);
  const unmet = comparable.filter(({ version }) => !isCompared(version));
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
    skipped: [
      ...skipped,
      ...unmet.map(({ version }) => ({ build: version, reason: "no tester could meet it" })),
    ],
    noticedTesters: pairs.findLast(({ isConsecutive }) => isConsecutive)?.row.noticed ?? null,
    rule,
  };
}

interface Comparable {
  readonly version: string;
  readonly group: GroupFacts;
}

/** The builds with enough testers whose sessions were analyzed as those of the last build. */
function selectComparable(
  builds: readonly BlamedBuild[],
  minTesters: number,
): { readonly comparable: Comparable[]; readonly skipped: SkippedBuild[] } {
  const comparable: Comparable[] = [];
  const skipped: SkippedBuild[] = [];
  const versions =
    builds.findLast(({ facts }) => (facts?.group.analysisVersions ?? []).length > 0)?.facts?.group
      .analysisVersions ?? [];
  for (const { version, facts } of builds) {
    const testers = facts?.group.testers.length ?? 0;
    const reason =
      facts === null
        ? "it is not known what its testers did"
        : testers < minTesters
          ? `${testers} testers with a device ID; at least ${minTesters} are required`
          : describeDifferentAnalyses(facts.group.analysisVersions ?? [], versions);
    if (reason === null && facts !== null) comparable.push({ version, group: facts.group });
    else skipped.push({ build: version, reason: reason ?? "" });
  }
  return { comparable, skipped };
}

interface ComparedPair {
  readonly a: string;
  readonly b: string;
  readonly isConsecutive: boolean;
  readonly row: ScorecardRow;
}

function comparePairs(
  id: string,
  builds: readonly Comparable[],
  { config, confidence }: { readonly config: GateRules; readonly confidence: number },
): ComparedPair[] {
  const [first] = builds;
  if (first === undefined) return [];
  // The row is the only one that decides, in each of the comparisons.
  const level = (1 - confidence) / Math.max(1, 2 * builds.length - 3);
  const options = { ...DEFAULT_OPTIONS, ...toScorecardOptions(config, level), families: [] };
  const compare = (a: Comparable, b: Comparable, isConsecutive: boolean): ComparedPair[] => {
    const { rows } = computeScorecard(a.group, b.group, options);
    const row = rows.find((one) => getRowId(one) === id);
    return row === undefined ? [] : [{ a: a.version, b: b.version, isConsecutive, row }];
  };
  return [
    ...builds.slice(1).flatMap((b, at) => compare(builds[at] ?? first, b, true)),
    ...builds.slice(2).flatMap((b) => compare(first, b, false)),
  ];
}

function toSteps(pairs: readonly ComparedPair[], rule: Blame["rule"]): BlameStep[] {
  const tested = pairs.filter(({ row }) => row.difference !== null);
  return tested.map(({ a, b, isConsecutive, row }) => {
    const increase = (row.difference ?? 0) * 100;
    const p = increase > 0 ? (row.pValue ?? 1) : 1;
    const adjustedP = Math.min(1, p * tested.length);
    return {
      ...{ a, b, isConsecutive, increase, p, adjustedP },
      counts: {
        testersA: row.a.count ?? 0,
        totalA: row.a.total,
        testersB: row.b.count ?? 0,
        totalB: row.b.total,
      },
      rose: increase > rule.maxIncreasePoints && adjustedP <= 1 - rule.confidence,
    };
  });
}

/** The room of the row, if nobody entered it before the first build in which testers did. */
function findNewRoom(pairs: readonly ComparedPair[], builds: readonly Comparable[]): NewRoom | null {
  const first = pairs.find(({ isConsecutive, row }) => isConsecutive && row.isNewRoom && row.room !== null);
  if (first === undefined || first.row.room === null) return null;
  const at = builds.findIndex(({ version }) => version === first.b);
  const { total, count } = first.row.b;
  return {
    room: first.row.room,
    build: first.b,
    before: builds.slice(0, at).map(({ version }) => version),
    entered: total,
    withTag: count ?? 0,
  };
}
