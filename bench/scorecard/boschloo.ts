/**
 * Boschloo's test, one of the most powerful exact tests of a single two-by-two table: R. D. Boschloo, "Raised conditional
 * level of significance for the 2x2-table when testing the equality of two probabilities", Statistica Neerlandica 24 (1970).
 */
import { binomialProbabilities } from "../../src/statistics/binomial.ts";
import { fisherPValue } from "../../src/statistics/fisher.ts";

/** The shares of both groups with which the level must hold. */
const SHARES = Array.from({ length: 199 }, (_, at) => (at + 1) / 200);

/** Returns whether an increase is significant, for two groups of this many testers. */
export function createBoschlooTest(testers: number, level: number): (inA: number, inB: number) => boolean {
  const counts = Array.from({ length: testers + 1 }, (_, count) => count);
  const tables = counts.flatMap((testersA) =>
    counts.map((testersB) => ({
      testersA,
      testersB,
      p: fisherPValue({ testersA, totalA: testers, testersB, totalB: testers }),
    })),
  );
  tables.sort((one, other) => one.p - other.p);
  const probabilities = SHARES.map((share) => binomialProbabilities(testers, share));
  const sums = new Float64Array(SHARES.length);
  let critical = 0;
  for (const { testersA, testersB, p } of tables) {
    for (const [at, one] of probabilities.entries())
      sums[at] = (sums[at] ?? 0) + (one[testersA] ?? 0) * (one[testersB] ?? 0);
    if (Math.max(...sums) > level) break;
    critical = p;
  }
  const significant = new Set(
    tables.filter(({ p }) => p <= critical).map(({ testersA, testersB }) => `${testersA} ${testersB}`),
  );
  return (inA, inB) => significant.has(`${inA} ${inB}`);
}
