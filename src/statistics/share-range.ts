/** The range of a difference between the shares of two groups, some of whose testers are the same. */
import { type Interval, newcombeInterval, wilsonInterval } from "./intervals.ts";
import type { ShareCounts } from "./row-tests.ts";

/** An estimate and the range around it, from -1 to 1. */
export interface Estimate extends Interval {
  readonly value: number;
}

/**
 * The share in b minus the share in a, with a range at this confidence. Testers in both groups and all others are two
 * strata with the weights of Mantel and Haenszel, as in S. Greenland and J. M. Robins, "Estimation of a common effect
 * parameter from sparse follow-up data", Biometrics 41 (1985). Their ranges are combined by the distances of their ends
 * from the estimate: G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures", Statistics in
 * Medicine 27 (2008). Without testers in a group, the range is -1 to 1.
 */
export function estimateShareDifference({ a, b, pairs }: ShareCounts, confidence: number): Estimate {
  const pairCount = pairs.both + pairs.onlyA + pairs.onlyB + pairs.neither;
  const weight = a.total + b.total === 0 ? 0 : (a.total * b.total) / (a.total + b.total);
  const strata = [
    ...(weight === 0 ? [] : [{ weight, ...estimateSingles({ a, b }, confidence) }]),
    ...(pairCount === 0 ? [] : [{ weight: pairCount / 2, ...estimatePairs(pairs, confidence) }]),
  ];
  if (strata.length === 0) return { value: 0, low: -1, high: 1 };
  const total = strata.reduce((sum, stratum) => sum + stratum.weight, 0);
  const parts = strata.map(({ weight: own, ...rest }) => ({ share: own / total, ...rest }));
  const value = parts.reduce((sum, part) => sum + part.share * part.value, 0);
  const below = Math.hypot(...parts.map((part) => part.share * (part.value - part.low)));
  const above = Math.hypot(...parts.map((part) => part.share * (part.high - part.value)));
  return { value, low: Math.max(-1, value - below), high: Math.min(1, value + above) };
}

function estimateSingles({ a, b }: Pick<ShareCounts, "a" | "b">, confidence: number): Estimate {
  const counts = { testersA: a.count, totalA: a.total, testersB: b.count, totalB: b.total };
  return { value: b.count / b.total - a.count / a.total, ...newcombeInterval(counts, confidence) };
}

/**
 * Method 10 of R. G. Newcombe, "Improved confidence intervals for the difference between binomial proportions based on
 * paired data", Statistics in Medicine 17 (1998): Wilson intervals of both shares, with their correlation.
 */
function estimatePairs(pairs: ShareCounts["pairs"], confidence: number): Estimate {
  const { both, onlyA, onlyB, neither } = pairs;
  const total = both + onlyA + onlyB + neither;
  const [countA, countB] = [both + onlyA, both + onlyB];
  const [a, b] = [wilsonInterval(countA, total, confidence), wilsonInterval(countB, total, confidence)];
  const [shareA, shareB] = [countA / total, countB / total];
  const margins = countA * (total - countA) * countB * (total - countB);
  const product = both * neither - onlyA * onlyB;
  const corrected = product > 0 ? Math.max(0, product - total / 2) : product;
  const correlation = margins === 0 ? 0 : corrected / Math.sqrt(margins);
  const combine = (one: number, other: number) =>
    Math.sqrt(Math.max(0, one ** 2 - 2 * correlation * one * other + other ** 2));
  return {
    value: shareB - shareA,
    low: shareB - shareA - combine(shareB - b.low, a.high - shareA),
    high: shareB - shareA + combine(b.high - shareB, shareA - a.low),
  };
}
