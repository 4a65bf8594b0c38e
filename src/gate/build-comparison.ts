/** The input of the gate: the testers and statistics of two builds, and the change of every tag between them. */
import type { BuildComparison, ComparedBuild } from "../contract/builds.ts";
import type { Stats } from "../contract/stats.ts";
import { computePointChange, diffFriction, type TesterTagCounts } from "../shared/friction-diff.ts";

/** One of the two builds. */
export interface GateBuild {
  readonly version: string;
  /** Distinct testers in the environment. */
  readonly testers: number;
  /** Null if the service does not report it. */
  readonly sessions: number | null;
  /** Testers and insights by tag; null if the service does not report them. */
  readonly byTag: ReadonlyMap<string, { readonly testers: number; readonly insights: number }> | null;
  /** Play time statistics of all environments combined; null if they were not requested. */
  readonly stats: Pick<Stats, "engagementRate" | "medianActiveSec"> | null;
}

/** The change of one tag from build a to build b. */
export interface TagChange {
  readonly tag: string;
  readonly kind: string;
  /** Share of testers in b minus share in a, in percentage points. */
  readonly deltaPct: number;
  /** Testers with the tag; null if the service does not report them. */
  readonly testersA: number | null;
  readonly testersB: number | null;
}

/** Converts one build of a comparison. */
export function toGateBuild(build: ComparedBuild, stats: GateBuild["stats"] = null): GateBuild {
  const byTag = build.byTag
    ? new Map(
        build.byTag.map(({ tag, testersWithTag, insightCount }) => [
          tag,
          { testers: testersWithTag, insights: insightCount },
        ]),
      )
    : null;
  return {
    version: build.version,
    testers: build.testersInBatch,
    sessions: build.sessionCount ?? null,
    byTag,
    stats,
  };
}

/** The changes that the service reports. */
export function toTagChanges({ diff }: BuildComparison): TagChange[] {
  return diff.changes.map(({ tag, kind, deltaPct, testersA, testersB }) => ({
    tag,
    kind,
    deltaPct,
    testersA: testersA ?? null,
    testersB: testersB ?? null,
  }));
}

/**
 * Computes the changes between two builds with known testers by tag, largest first. Uses the same rules as the service,
 * for baselines that the service cannot compare.
 */
export function diffTags(a: GateBuild, b: GateBuild): TagChange[] {
  return diffFriction(toTaggedTesters(a), toTaggedTesters(b)).changes;
}

function toTaggedTesters({ testers, byTag }: GateBuild): TesterTagCounts {
  return { testers, byTag: [...(byTag ?? [])].map(([tag, counts]) => ({ tag, testers: counts.testers })) };
}

/** The increase of a tag's share in percentage points: exact if the counts are known, otherwise rounded by the service. */
export function computeIncrease(
  { testersA, testersB, deltaPct }: Pick<TagChange, "testersA" | "testersB" | "deltaPct">,
  a: GateBuild,
  b: GateBuild,
): number {
  if (testersA === null || testersB === null) return deltaPct;
  return computePointChange(testersA, a.testers, testersB, b.testers);
}
