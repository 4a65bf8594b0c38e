/** Recovers how many positions fell into each cell of a heatmap, which tells intensities alone. */
import type { HeatmapRoom } from "../contract/heatmaps.ts";

export interface CellCounts {
  /** Positions of each cell, in the order of the room's cells; at least 1 each. */
  readonly counts: readonly number[];
  /** Positions of the densest cell; 0 without cells. */
  readonly most: number;
  /** True where the counts give back every intensity and the room's total; else they are the nearest there are. */
  readonly exact: boolean;
}

/** How far an intensity may be from that of its count; two counts next to each other are further apart up to 1e8. */
const ROUNDING = 1e-11;

/**
 * The counts of a room's cells. Intensity is ln(1 + n) / ln(1 + most), so that n = (1 + most)^intensity - 1; the sum of
 * all n grows with every step of the whole number `most`, and one `most` alone makes it the room's total. Newton's method
 * finds it where the service counted as the formula says; else the nearest is searched by bisection.
 */
export function recoverCounts({
  cells,
  totalEvents,
}: Pick<HeatmapRoom, "cells" | "totalEvents">): CellCounts {
  if (cells.length === 0) return { counts: [], most: 0, exact: totalEvents === 0 };
  const sumOf = (most: number) => {
    let total = 0;
    for (const { intensity } of cells) total += toCount(intensity, most);
    return total;
  };
  const nearest = solveByNewton(cells, totalEvents, sumOf) ?? searchByBisection(totalEvents, sumOf);
  const counts = cells.map(({ intensity }) => toCount(intensity, nearest));
  const meant = Math.log1p(nearest);
  const alike = cells.every(
    ({ intensity }, at) => Math.abs(Math.log1p(counts[at] ?? 0) / meant - intensity) <= ROUNDING,
  );
  return {
    counts,
    most: counts.reduce((most, count) => Math.max(most, count), 0),
    exact: alike && sum(counts) === totalEvents,
  };
}

/** The whole number nearest to the formula's n; a cell that is told of has one position at least. */
const toCount = (intensity: number, most: number) =>
  Math.max(1, Math.round(Math.expm1(intensity * Math.log1p(most))));

/** Steps of Newton's method at most; it takes about six. */
const MAX_NEWTON_STEPS = 40;

/**
 * The most that makes the room's total, without rounding: by Newton's method the x = ln(1 + most) at which the sum of
 * all e^(intensity x) - 1, which is convex in x, is the total. Null where its whole number does not make the total.
 */
function solveByNewton(
  cells: HeatmapRoom["cells"],
  total: number,
  sumOf: (most: number) => number,
): number | null {
  let x = Math.log1p((2 * total) / cells.length);
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    let [rest, slope] = [-total, 0];
    for (const { intensity } of cells) {
      const grown = Math.exp(intensity * x);
      rest += grown - 1;
      slope += intensity * grown;
    }
    const next = x - rest / slope;
    if (!Number.isFinite(next) || next <= 0) return null;
    const settled = Math.abs(next - x) < 1e-12 * x;
    x = next;
    if (settled) break;
  }
  const most = Math.round(Math.expm1(x));
  return most >= 1 && sumOf(most) === total ? most : null;
}

/** By bisection between 1 and the total, the most whose sum is nearest to it. */
function searchByBisection(total: number, sumOf: (most: number) => number): number {
  let low = 1;
  let high = Math.max(1, total);
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (sumOf(middle) < total) low = middle + 1;
    else high = middle;
  }
  return pickNearer(low, total, sumOf);
}

/** Of `most` and the one below, that whose sum is nearer to the total. */
function pickNearer(most: number, total: number, sumOf: (most: number) => number): number {
  if (most === 1) return 1;
  return total - sumOf(most - 1) < sumOf(most) - total ? most - 1 : most;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
