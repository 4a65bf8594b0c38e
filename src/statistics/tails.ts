/** One-sided p-values in both directions, of which a family of tests keeps the smallest. */
import { normalTail } from "./normal.ts";

/** P-values: that b has more of an outcome than a, and that it has less. */
export interface Tails {
  more: number;
  fewer: number;
}

/** Lowers p-values to those of normal statistics, which are positive for more, and for less. */
export function lowerToNormal(smallest: Tails, zMore: number, zFewer: number): void {
  if (!isTailAbove(zMore, smallest.more)) smallest.more = Math.min(smallest.more, normalTail(zMore));
  if (!isTailAbove(zFewer, smallest.fewer)) smallest.fewer = Math.min(smallest.fewer, normalTail(zFewer));
}

/**
 * Whether the tail above `z` is surely larger than a p-value, which takes a fraction of the time of the tail. The bound is
 * that of R. D. Gordon, "Values of Mills' Ratio of Area to Bounding Ordinate", Annals of Mathematical Statistics 12 (1941).
 */
function isTailAbove(z: number, pValue: number): boolean {
  if (z <= 0) return pValue < 0.5;
  return (Math.exp((-z * z) / 2) * z) / (Math.sqrt(2 * Math.PI) * (1 + z * z)) > pValue;
}
