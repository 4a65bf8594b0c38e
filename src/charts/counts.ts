/** Recovers the number of positions in each cell of a heatmap. The API returns only intensities and the room's total. */
import type { HeatmapRoom } from "../contract/heatmaps.ts";

export interface CellCounts {
  /** Positions per cell, at least 1, in the order of the room's cells. */
  readonly counts: readonly number[];
  /** Positions in the densest cell; 0 without cells. */
  readonly most: number;
  /** Whether the counts reproduce every intensity and the room's total. If not, they are the closest approximation. */
  readonly exact: boolean;
}

/** Tolerance for intensities. The intensities of neighboring counts differ by more than this for counts up to 1e8. */
const ROUNDING = 1e-11;

/**
 * Recovers the counts of a room's cells. The intensity of a cell with n positions is ln(1 + n) / ln(1 + max), so
 * n = (1 + max)^intensity - 1. The sum of all n strictly increases with the integer max, so at most one max gives the
 * room's total. Newton's method finds it if the intensities follow the formula exactly; otherwise bisection finds the
 * closest max.
 */
export function recoverCounts({
  cells,
  totalEvents: all,
  outside = 0,
}: Pick<HeatmapRoom, "cells" | "totalEvents" | "outside">): CellCounts {
  const totalEvents = all - outside;
  if (cells.length === 0) return { counts: [], most: 0, exact: totalEvents === 0 };
  const sumCounts = (most: number) => {
    let total = 0;
    for (const { intensity } of cells) total += toCount(intensity, most);
    return total;
  };
  const nearest = solveByNewton(cells, totalEvents, sumCounts) ?? searchByBisection(totalEvents, sumCounts);
  const counts = cells.map(({ intensity }) => toCount(intensity, nearest));
  const scale = Math.log1p(nearest);
  const intensitiesMatch = cells.every(
    ({ intensity }, at) => Math.abs(Math.log1p(counts[at] ?? 0) / scale - intensity) <= ROUNDING,
  );
  return {
    counts,
    most: counts.reduce((most, count) => Math.max(most, count), 0),
    exact: intensitiesMatch && sum(counts) === totalEvents,
  };
}

/** Rounds the formula's n. Every cell in a response has at least one position. */
const toCount = (intensity: number, most: number) =>
  Math.max(1, Math.round(Math.expm1(intensity * Math.log1p(most))));

/** Newton's method usually converges in about six steps. */
const MAX_NEWTON_STEPS = 40;

/**
 * Finds the max whose counts sum to the total. Solves for x = ln(1 + max) with Newton's method: the sum of
 * e^(intensity x) - 1 over all cells is convex in x and must equal the total. Returns null if the rounded max does not
 * give the total.
 */
function solveByNewton(
  cells: HeatmapRoom["cells"],
  total: number,
  sumCounts: (most: number) => number,
): number | null {
  let x = Math.log1p((2 * total) / cells.length);
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    let [residual, slope] = [-total, 0];
    for (const { intensity } of cells) {
      const grown = Math.exp(intensity * x);
      residual += grown - 1;
      slope += intensity * grown;
    }
    const next = x - residual / slope;
    if (!Number.isFinite(next) || next <= 0) return null;
    const converged = Math.abs(next - x) < 1e-12 * x;
    x = next;
    if (converged) break;
  }
  const most = Math.round(Math.expm1(x));
  return most >= 1 && sumCounts(most) === total ? most : null;
}

/** Finds the max from 1 to the total whose sum is closest to the total. */
function searchByBisection(total: number, sumCounts: (most: number) => number): number {
  let low = 1;
  let high = Math.max(1, total);
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (sumCounts(middle) < total) low = middle + 1;
    else high = middle;
  }
  return pickNearer(low, total, sumCounts);
}

/** Returns `most` or `most - 1`, whichever sum is closer to the total. */
function pickNearer(most: number, total: number, sumCounts: (most: number) => number): number {
  if (most === 1) return 1;
  return total - sumCounts(most - 1) < sumCounts(most) - total ? most - 1 : most;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
