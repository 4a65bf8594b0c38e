/** The friction diff: each tag's share of testers in two builds, and what became of it. */
import type { BuildComparison, Change, ChangeKind } from "../../contract/builds.ts";
import type { BuildFriction } from "./queries.ts";

/** Changes of fewer points than this, before rounding, leave a tag carried over. */
export const MATERIAL_POINTS = 10;

/** Compares the shares of every tag of two builds: the largest changes first, ties by tag. */
export function diffFriction(a: BuildFriction, b: BuildFriction): BuildComparison["diff"] {
  const inA = new Map(a.byTag.map((row) => [row.tag, row.testers]));
  const inB = new Map(b.byTag.map((row) => [row.tag, row.testers]));
  const changes = [...new Set([...inA.keys(), ...inB.keys()])].map((tag) => {
    const [testersA, testersB] = [inA.get(tag) ?? 0, inB.get(tag) ?? 0];
    const delta = pointsBetween(testersA, a.testers, testersB, b.testers);
    const tenths = Math.round(Math.abs(delta) * 10);
    const deltaPct = (Math.sign(delta) * tenths) / 10 || 0;
    return { kind: kindOf(testersA, testersB, delta), tag, deltaPct, testersA, testersB } satisfies Change;
  });
  changes.sort((x, y) => Math.abs(y.deltaPct) - Math.abs(x.deltaPct) || (x.tag < y.tag ? -1 : 1));
  const count = (kind: ChangeKind) => changes.filter((change) => change.kind === kind).length;
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

/**
 * The share in b less the share in a, percentage points. One division of whole numbers, so that a change of exactly
 * 10 points is 10; a build without testers has a share of 0.
 */
function pointsBetween(testersA: number, ofA: number, testersB: number, ofB: number): number {
  const [partsA, partsB] = [Math.max(1, ofA), Math.max(1, ofB)];
  return ((testersB * partsA - testersA * partsB) * 100) / (partsA * partsB);
}

function kindOf(testersA: number, testersB: number, delta: number): ChangeKind {
  if (testersA > 0 && testersB === 0) return "resolved";
  if (testersA === 0 && testersB > 0) return "introduced";
  if (Math.abs(delta) < MATERIAL_POINTS) return "carried_over";
  return delta > 0 ? "got_larger" : "got_smaller";
}
