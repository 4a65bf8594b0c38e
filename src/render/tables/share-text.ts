/** Shares and their intervals in tables. */

/** A share from 0 to 1 in whole percent, such as `35%`. Only exactly 0 and 1 are shown as 0% and 100%. */
export { formatShare as formatSharePercent } from "../numbers.ts";

/** The interval of a share in whole percent, such as `20-54%`. */
export function formatShareInterval({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${Math.round(low * 100)}-${Math.round(high * 100)}%`;
}
