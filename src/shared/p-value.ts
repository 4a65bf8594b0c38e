/** A p-value with two significant digits; never shown as 0. */
export function formatPValue(p: number): string {
  return p < 0.0001 ? "< 0.0001" : String(Number(p.toPrecision(2)));
}
