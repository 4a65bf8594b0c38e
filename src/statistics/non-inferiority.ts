/** The test of non-inferiority: whether a rate is shown to be no worse than others, by more than a margin. */
import type { Interval } from "./intervals.ts";

export interface NonInferiority {
  /** The largest increase that the intervals do not exclude; 1 if one is not known. */
  readonly upperBound: number;
  readonly status: "safe" | "unknown" | "worse";
}

/**
 * Tests a rate of which lower values are better, by the intervals of its increases over all others: safe if the upper end
 * of each is below the margin, worse if one excludes 0. A null interval is not known yet. Each interval has the full
 * significance level, because all must be below (the intersection-union test of Berger, "Multiparameter hypothesis testing
 * and acceptance sampling", Technometrics 24, 1982). That no increase is significant would not be enough: with few players
 * it shows nothing (Piaggio et al., "Reporting of noninferiority and equivalence randomized trials", JAMA 308, 2012).
 */
export function testNonInferiority(increases: readonly (Interval | null)[], margin: number): NonInferiority {
  const upperBound = Math.max(...increases.map((interval) => interval?.high ?? 1));
  const isWorse = increases.some((interval) => interval !== null && interval.low > 0);
  return { upperBound, status: upperBound < margin ? "safe" : isWorse ? "worse" : "unknown" };
}
