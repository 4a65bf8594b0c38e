/**
 * Allows for longer play in build b. Of two equal builds, the build that is played longer has more friction if friction
 * comes by the minute. The odds of a tag then differ by a ratio that follows from the play time, and the test takes this
 * ratio as what equal builds show (Fisher's noncentral distribution). Friction may also come once per session, whatever
 * its length, so a build that was played less gets no such allowance.
 */
import type { MatchedTester } from "./matched-play.ts";

/**
 * The level of the test for longer play. A higher one makes more allowance for chance differences of play time, and the
 * gate less sensitive; a lower one fails equal builds. Chosen by simulation (`npm run bench -- statistics`).
 */
const MAX_Z = 1.2815515655446004;
/** Halvings of the interval that contains the hazard: to about 9 digits. */
const STEPS = 30;

/** The active time of each tester, in seconds. */
export const sumActiveTimes = (testers: readonly MatchedTester[]) =>
  testers.map(({ sessions }) => sessions.reduce((sum, { activeSec }) => sum + activeSec, 0));

/**
 * Whether b was played longer than chance explains: one-sided rank-sum test at the level 0.1 (H. B. Mann and D. R. Whitney,
 * "On a Test of Whether one of Two Random Variables is Stochastically Larger than the Other", Annals of Mathematical
 * Statistics 18, 1947).
 */
export function isPlayedLonger(timesA: readonly number[], timesB: readonly number[]): boolean {
  const [sizeA, sizeB] = [timesA.length, timesB.length];
  if (sizeA === 0 || sizeB === 0 || mean(timesB) <= mean(timesA)) return false;
  const sorted = [...timesA].sort((x, y) => x - y);
  let pairs = 0;
  for (const time of timesB) pairs += (countBelow(sorted, time, false) + countBelow(sorted, time, true)) / 2;
  const deviation = Math.sqrt((sizeA * sizeB * (sizeA + sizeB + 1)) / 12);
  return (pairs - (sizeA * sizeB) / 2) / deviation > MAX_Z;
}

/**
 * The odds of a tag in b divided by those in a, at least 1, if every minute of play has the same chance to meet the tag
 * in both builds and `withTag` testers have it: the chance is the one at which this many are expected (D. R. Cox and
 * D. Oakes, "Analysis of Survival Data", 1984: the exponential distribution).
 */
export function expectedOddsRatio(
  timesA: readonly number[],
  timesB: readonly number[],
  withTag: number,
): number {
  const all = [...timesA, ...timesB];
  const played = all.filter((time) => time > 0).length;
  if (withTag === 0 || withTag >= played) return 1;
  const hazard = solveHazard(all, withTag);
  const [shareA, shareB] = [meetingShare(timesA, hazard), meetingShare(timesB, hazard)];
  const ratio = (shareB * (1 - shareA)) / (shareA * (1 - shareB));
  return Number.isFinite(ratio) ? Math.max(1, ratio) : 1;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The share of testers who meet a tag in their time. */
const meetingShare = (times: readonly number[], hazard: number) =>
  mean(times.map((time) => -Math.expm1(-hazard * time)));

/** The chance per second at which `expected` testers meet the tag. */
function solveHazard(times: readonly number[], expected: number): number {
  const count = (hazard: number) => meetingShare(times, hazard) * times.length;
  let [low, high] = [0, expected / times.reduce((sum, time) => sum + time, 0)];
  while (count(high) < expected) [low, high] = [high, high * 2];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (count(middle) < expected) low = middle;
    else high = middle;
  }
  return high;
}

/** The number of sorted values below `value`, or at most `value`. */
function countBelow(sorted: readonly number[], value: number, orEqual: boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle] ?? 0;
    if (other < value || (orEqual && other === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
