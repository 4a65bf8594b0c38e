/** Formats numbers for people: with thousands separators at a terminal, without them elsewhere. */
import type { RenderOptions } from "./options.ts";

// Intl.NumberFormat takes more than 20 ms to start, so separators are inserted by hand.
const THREES = /\B(?=(?:\d{3})+(?!\d))/g;

/** The number with thousands separators at a terminal, and without them in a pipe. */
export function formatNumber(value: number, options: Pick<RenderOptions, "tty">): string {
  const digits = String(value);
  if (!options.tty) return digits;
  const [whole = "", fraction] = digits.split(".");
  const grouped = whole.replace(THREES, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A share from 0 to 1 in percent with one decimal. A share above 0 is never shown as 0. */
export function formatTenths(share: number): string {
  return share > 0 && share < 0.001 ? "<0.1%" : `${(share * 100).toFixed(1)}%`;
}

/** A share from 0 to 1 in whole percent. Only exactly 0 and 1 are shown as 0% and 100%. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.01) return "<1%";
  if (share < 1 && share > 0.99) return ">99%";
  return `${Math.round(share * 100)}%`;
}

/** The strength of an insight from 0 to 1. Not in percent, because it is not a probability. */
export const formatStrength = (strength: number) => strength.toFixed(2);

export { formatCount } from "../shared/words.ts";

/** The interval of a share in whole percent, such as `20-54%`. */
export const formatShareInterval = ({ low, high }: { readonly low: number; readonly high: number }): string =>
  `${Math.round(low * 100)}-${Math.round(high * 100)}%`;
