/** The input of the gate: the testers and statistics of two builds, and the change of every tag between them. */

import type { BuildComparison, ComparedBuild } from "../contract/builds.ts";
import type { TesterHistory } from "../contract/play-history.ts";
import type { Stats } from "../contract/result-fields.ts";
import { diffFriction, type TesterTagCounts } from "../shared/friction-diff.ts";
import type { TitledTag } from "../shared/tags.ts";

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
  /** The sessions of each tester in the environment; null if the service does not report it. */
  readonly history: readonly TesterHistory[] | null;
  /** A sentence that says why the reported history is not used; absent if it is, or if none is reported. */
  readonly historyFault?: string;
  /** Versions of the rules that analyzed the sessions, ascending; null if the service does not report them. */
  readonly analysisVersions: readonly number[] | null;
}

/** The parts of a build that come from other requests than the comparison. */
export type GateBuildExtras = Pick<GateBuild, "stats" | "history" | "analysisVersions">;

/** The change of one tag from build a to build b. */
export interface TagChange extends TitledTag {
  readonly kind: string;
  /** Share of testers in b minus share in a, in percentage points. */
  readonly deltaPct: number;
  /** Testers with the tag; null if the service does not report them. */
  readonly testersA: number | null;
  readonly testersB: number | null;
}

/** Converts one build of a comparison. */
export function toGateBuild(
  build: ComparedBuild,
  { stats = null, history = null, analysisVersions = null }: Partial<GateBuildExtras> = {},
): GateBuild {
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
    history,
    analysisVersions,
  };
}

/** The changes that the service reports. */
export function toTagChanges({ diff }: Pick<BuildComparison, "diff">): TagChange[] {
  return diff.changes.map(({ tag, title, kind, deltaPct, testersA, testersB }) => ({
    tag,
    title,
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

/** Adds the titles of a comparison, for changes that the service did not compute. */
export function addTitles(changes: readonly TagChange[], { diff }: BuildComparison): TagChange[] {
  const titles = new Map(diff.changes.map(({ tag, title }) => [tag, title]));
  return changes.map((change) => ({ ...change, title: titles.get(change.tag) }));
}

function toTaggedTesters({ testers, byTag }: GateBuild): TesterTagCounts {
  return { testers, byTag: [...(byTag ?? [])].map(([tag, counts]) => ({ tag, testers: counts.testers })) };
}
