/** Numbers for people: digits in threes at a terminal, as they are elsewhere. */
import type { RenderOptions } from "./options.ts";

// Intl.NumberFormat costs 20 ms and more to start.
const THREES = /\B(?=(?:\d{3})+(?!\d))/g;

/** The number with thousands separators at a terminal, plain digits in a pipe. */
export function formatNumber(value: number, options: Pick<RenderOptions, "tty">): string {
  const digits = String(value);
  if (!options.tty) return digits;
  const [whole = "", fraction] = digits.split(".");
  const grouped = whole.replace(THREES, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A share of 0 to 1 in tenths of a percent; a share that is not none never reads as if it were. */
export function formatTenths(share: number): string {
  return share > 0 && share < 0.001 ? "<0.1%" : `${(share * 100).toFixed(1)}%`;
}

/** A share of 0 to 1 in whole percent; a share that is neither none nor all never reads as if it were. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.01) return "<1%";
  if (share < 1 && share > 0.99) return ">99%";
  return `${Math.round(share * 100)}%`;
}
