/**
 * What longer play alone explains. If an outcome comes by the minute, the group that plays longer has more of it. The odds
 * then differ by a ratio that follows from the play time (Fisher's noncentral distribution takes this ratio).
 */
import { mean, sum } from "./averages.ts";

/** Halvings of the interval that contains the hazard: to about 9 digits. */
const STEPS = 30;

/**
 * The odds of an outcome in b divided by those in a, at least 1, if every minute has the same chance to meet the outcome in
 * both groups and `withOutcome` testers have it: the chance is the one at which this many are expected. The times of the
 * testers are in any one unit. 1 if nobody has the outcome, or everybody who played. D. R. Cox and D. Oakes, "Analysis of
 * Survival Data" (1984): the exponential distribution.
 */
export function expectedOddsRatio(
  timesA: readonly number[],
  timesB: readonly number[],
  withOutcome: number,
): number {
  const all = [...timesA, ...timesB];
  const played = all.filter((time) => time > 0).length;
  if (withOutcome === 0 || withOutcome >= played) return 1;
  const hazard = solveHazard(all, withOutcome);
  const [shareA, shareB] = [meetingShare(timesA, hazard), meetingShare(timesB, hazard)];
  const ratio = (shareB * (1 - shareA)) / (shareA * (1 - shareB));
  return Number.isFinite(ratio) ? Math.max(1, ratio) : 1;
}

/** The share of testers who meet an outcome in their time. */
const meetingShare = (times: readonly number[], hazard: number) =>
  mean(times.map((time) => -Math.expm1(-hazard * time)));

/** The chance per unit of time at which `expected` testers meet the outcome. */
function solveHazard(times: readonly number[], expected: number): number {
  const count = (hazard: number) => meetingShare(times, hazard) * times.length;
  let [low, high] = [0, expected / sum(times)];
  while (count(high) < expected) [low, high] = [high, high * 2];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (count(middle) < expected) low = middle;
    else high = middle;
  }
  return high;
}
