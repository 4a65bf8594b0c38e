/** Players for tests of rates. */
import { estimateRate, type RateContribution, sumContributions } from "../../src/statistics/rates.ts";

/** Contributions of 0 and 1. */
export const yesNo = (yes: number, of: number): RateContribution[] =>
  Array.from({ length: of }, (_, at) => ({ part: at < yes ? 1 : 0, whole: 1 }));
export const estimate = (contributions: readonly RateContribution[]) =>
  estimateRate(sumContributions(contributions));
export const repeat = (count: number, contribution: RateContribution) =>
  Array.from({ length: count }, () => contribution);
