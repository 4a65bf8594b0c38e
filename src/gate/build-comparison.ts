/** The two sides of a gate: what is known of each build's testers and figures, and the change of every tag between them. */
import type { BuildComparison, ComparedBuild } from "../contract/builds.ts";
import type { Stats } from "../contract/stats.ts";
import { computePointChange, diffFriction, type TesterTagCounts } from "../shared/friction-diff.ts";

/** One build as a gate sees it. */
export interface GateBuild {
  readonly version: string;
  /** Distinct testers in the environment. */
  readonly testers: number;
  /** Null where the service does not tell. */
  readonly sessions: number | null;
  /** Testers and findings by tag; null where the service does not tell. */
  readonly byTag: ReadonlyMap<string, { readonly testers: number; readonly insights: number }> | null;
  /** Play time over every environment; null where it was not asked for. */
  readonly stats: Pick<Stats, "engagementRate" | "medianActiveSec"> | null;
}

/** How one tag changed from a to b. */
export interface TagChange {
  readonly tag: string;
  readonly kind: string;
  /** Share in b minus share in a, percentage points. */
  readonly deltaPct: number;
  /** Testers with the tag; null where the service does not tell. */
  readonly testersA: number | null;
  readonly testersB: number | null;
}

/** A side as a comparison tells it. */
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

/** The changes as the service tells them. */
export function toTagChanges({ diff }: BuildComparison): TagChange[] {
  return diff.changes.map(({ tag, kind, deltaPct, testersA, testersB }) => ({
    tag,
    kind,
    deltaPct,
    testersA: testersA ?? null,
    testersB: testersB ?? null,
  }));
}

/** The changes between two sides whose testers are known by tag, by the rules that the service goes by; the largest first. */
export function diffTags(a: GateBuild, b: GateBuild): TagChange[] {
  return diffFriction(toTaggedTesters(a), toTaggedTesters(b)).changes;
}

function toTaggedTesters({ testers, byTag }: GateBuild): TesterTagCounts {
  return { testers, byTag: [...(byTag ?? [])].map(([tag, met]) => ({ tag, testers: met.testers })) };
}

/** The growth of a tag's share, points: exact where the counts are known, else as the service rounded it. */
export function computeGrowth(
  { testersA, testersB, deltaPct }: Pick<TagChange, "testersA" | "testersB" | "deltaPct">,
  a: GateBuild,
  b: GateBuild,
): number {
  if (testersA === null || testersB === null) return deltaPct;
  return computePointChange(testersA, a.testers, testersB, b.testers);
}
