/** The correction of p-values for several tests. */

/**
 * Corrects p-values so that the probability of any false alarm among them is at most the level at which they are compared:
 * Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979). It holds
 * for any dependence between the tests, and for always-valid p-values it remains valid however many times they are checked. A null
 * p-value stays null but counts as a test, so that the correction does not change when it becomes available.
 */
export function adjustByHolm(pValues: readonly (number | null)[]): (number | null)[] {
  const order = pValues.map((_, at) => at).sort((x, y) => (pValues[x] ?? 1) - (pValues[y] ?? 1));
  const adjusted: (number | null)[] = pValues.map(() => null);
  let largest = 0;
  for (const [rank, at] of order.entries()) {
    const pValue = pValues[at] ?? null;
    if (pValue === null) continue;
    largest = Math.max(largest, Math.min(1, pValue * (pValues.length - rank)));
    adjusted[at] = largest;
  }
  return adjusted;
}
