/** The friction diff of two builds: how the share of testers with each tag changed. */

/** How a tag changed from one build to another. */
export type FrictionKind = "resolved" | "got_smaller" | "carried_over" | "got_larger" | "introduced";

/** One build: the number of distinct testers, and of testers with each tag. A missing tag has 0 testers. */
export interface TesterTagCounts {
  readonly testers: number;
  readonly byTag: ReadonlyArray<{ readonly tag: string; readonly testers: number }>;
}

/** How one tag changed from a to b. */
export interface FrictionChange {
  readonly kind: FrictionKind;
  readonly tag: string;
  /** Share in b minus share in a: percentage points, rounded to one decimal. */
  readonly deltaPct: number;
  /** Testers with the tag. */
  readonly testersA: number;
  readonly testersB: number;
}

/** The changes, and the number of changes of each kind. */
export interface FrictionDiff {
  readonly changes: FrictionChange[];
  readonly totals: {
    readonly resolved: number;
    readonly gotSmaller: number;
    readonly carriedOver: number;
    readonly gotLarger: number;
    readonly introduced: number;
  };
}

/** A tag whose share changed by less than this many percentage points, before rounding, is `carried_over`. */
export const MIN_CHANGE_POINTS = 10;

/** Compares two builds. Changes are sorted by size, largest first, then by tag. */
export function diffFriction(a: TesterTagCounts, b: TesterTagCounts): FrictionDiff {
  const [countsA, countsB] = [toCountsByTag(a), toCountsByTag(b)];
  const changes = [...new Set([...countsA.keys(), ...countsB.keys()])].map((tag): FrictionChange => {
    const [testersA, testersB] = [countsA.get(tag) ?? 0, countsB.get(tag) ?? 0];
    const points = computePointChange(testersA, a.testers, testersB, b.testers);
    return {
      kind: classifyChange(testersA, testersB, points),
      tag,
      deltaPct: roundToTenth(points),
      testersA,
      testersB,
    };
  });
  changes.sort((x, y) => Math.abs(y.deltaPct) - Math.abs(x.deltaPct) || (x.tag < y.tag ? -1 : 1));
  const count = (kind: FrictionKind) => changes.filter((change) => change.kind === kind).length;
  return {
    changes,
    totals: {
      resolved: count("resolved"),
      gotSmaller: count("got_smaller"),
      carriedOver: count("carried_over"),
      gotLarger: count("got_larger"),
      introduced: count("introduced"),
    },
  };
}

function toCountsByTag({ byTag }: TesterTagCounts): ReadonlyMap<string, number> {
  return new Map(byTag.map(({ tag, testers }) => [tag, testers]));
}

/**
 * The share in b minus the share in a, in percentage points. Uses a single division of integers, so that a change of
 * exactly 10 points is 10 and not 9.999…. A build without testers has a share of 0.
 */
export function computePointChange(testersA: number, ofA: number, testersB: number, ofB: number): number {
  const [partsA, partsB] = [Math.max(1, ofA), Math.max(1, ofB)];
  return ((testersB * partsA - testersA * partsB) * 100) / (partsA * partsB);
}

/** The kind of a change of this many percentage points, by the testers with the tag. */
export function classifyChange(testersA: number, testersB: number, points: number): FrictionKind {
  if (testersA > 0 && testersB === 0) return "resolved";
  if (testersA === 0 && testersB > 0) return "introduced";
  if (Math.abs(points) < MIN_CHANGE_POINTS) return "carried_over";
  return points > 0 ? "got_larger" : "got_smaller";
}

/** Rounds to one decimal, with halves away from zero, and never returns -0. */
export function roundToTenth(points: number): number {
  return (Math.sign(points) * Math.round(Math.abs(points) * 10)) / 10 || 0;
}
