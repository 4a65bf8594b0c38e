/** The two sides of a gate: what is known of each build's testers and figures, and the change of every tag between them. */
import type { BuildComparison, ComparedBuild } from "../contract/builds.ts";
import type { Stats } from "../contract/stats.ts";

/** One build as a gate sees it. */
export interface Side {
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

/** A change smaller than this is carried over, points. */
const LEAST_CHANGE = 10;

/** A side as a comparison tells it. */
export function sideOf(build: ComparedBuild, stats: Side["stats"] = null): Side {
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
export function changesOf({ diff }: BuildComparison): TagChange[] {
  return diff.changes.map(({ tag, kind, deltaPct, testersA, testersB }) => ({
    tag,
    kind,
    deltaPct,
    testersA: testersA ?? null,
    testersB: testersB ?? null,
  }));
}

/**
 * The changes between two sides whose testers are known by tag, by the rules of the API: `resolved` and `introduced`
 * where a side has none, `carried_over` below 10 points, else `got_larger` or `got_smaller`; the largest first.
 */
export function changesBetween(a: Side, b: Side): TagChange[] {
  const tags = new Set([...(a.byTag?.keys() ?? []), ...(b.byTag?.keys() ?? [])]);
  return [...tags]
    .map((tag): TagChange => {
      const testersA = a.byTag?.get(tag)?.testers ?? 0;
      const testersB = b.byTag?.get(tag)?.testers ?? 0;
      const delta = pointsBetween(testersA, a.testers, testersB, b.testers);
      return {
        tag,
        kind: kindOf(testersA, testersB, delta),
        deltaPct: oneDecimal(delta),
        testersA,
        testersB,
      };
    })
    .sort((x, y) => Math.abs(y.deltaPct) - Math.abs(x.deltaPct) || (x.tag < y.tag ? -1 : 1));
}

/**
 * The share in b less the share in a, percentage points. One division of whole numbers, so that a growth of exactly 10
 * points is 10 and no more; a build without testers has a share of 0.
 */
export function pointsBetween(testersA: number, ofA: number, testersB: number, ofB: number): number {
  const [partsA, partsB] = [Math.max(1, ofA), Math.max(1, ofB)];
  return ((testersB * partsA - testersA * partsB) * 100) / (partsA * partsB);
}

/** The growth of a tag's share, points: exact where the counts are known, else as the service rounded it. */
export function growthOf(
  { testersA, testersB, deltaPct }: Pick<TagChange, "testersA" | "testersB" | "deltaPct">,
  a: Side,
  b: Side,
): number {
  if (testersA === null || testersB === null) return deltaPct;
  return pointsBetween(testersA, a.testers, testersB, b.testers);
}

function kindOf(testersA: number, testersB: number, delta: number): string {
  if (testersA > 0 && testersB === 0) return "resolved";
  if (testersA === 0 && testersB > 0) return "introduced";
  if (Math.abs(delta) < LEAST_CHANGE) return "carried_over";
  return delta > 0 ? "got_larger" : "got_smaller";
}

/** Rounds halves away from none, as the service does; never to -0. */
function oneDecimal(points: number): number {
  return (Math.sign(points) * Math.round(Math.abs(points) * 10)) / 10 || 0;
}
