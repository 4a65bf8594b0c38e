/**
 * Allows for longer play in build b. Of two equal builds, the build that is played longer has more friction if friction
 * comes by the minute. The odds of a tag then differ by a ratio that follows from the play time, and the test takes this
 * ratio as what equal builds show (Fisher's noncentral distribution). Friction may also come once per session, whatever
 * its length, so a build that was played less gets no such allowance.
 */
import type { SessionExposure } from "../contract/build-exposure.ts";
import { computeRankSumZ } from "../shared/statistics/rank-sum.ts";
import { findMaxChanceZ, type MatchedTester } from "./matched-play.ts";

/** The lowest level of the test for longer play. */
const MIN_PLAY_TIME_LEVEL = 0.05;

/** Halvings of the interval that contains the hazard: to about 9 digits. */
const STEPS = 30;

/**
 * The active time of each tester outside a room, in seconds; null is the time everywhere. Friction in a room can keep
 * testers there, so the time in the room must not excuse the friction.
 */
export const sumActiveTimes = (testers: readonly MatchedTester[], room: string | null = null) =>
  testers.map(({ sessions }) =>
    sessions.reduce((sum, session) => sum + Math.max(0, session.activeSec - timeInRoom(session, room)), 0),
  );

const timeInRoom = ({ rooms }: SessionExposure, room: string | null) =>
  rooms.reduce((sum, entered) => sum + (entered.room === room ? entered.activeSec : 0), 0);

/** Whether b was played longer than chance explains: one-sided rank-sum test. */
export const isPlayedLonger = (timesA: readonly number[], timesB: readonly number[]): boolean =>
  mean(timesB) > mean(timesA) &&
  computeRankSumZ(timesA, timesB) > findMaxChanceZ(MIN_PLAY_TIME_LEVEL, timesA.length, timesB.length);

/** The normal quantile of the level 0.005. */
const CLEAR_Z = 2.5758293035489004;

/**
 * Whether b was played longer by enough to make the gate inconclusive if it is too insensitive: one-sided rank-sum test at the level
 * 0.005. At the level 0.1, a tenth of all equal builds with enough testers would be inconclusive.
 */
export const isPlayedClearlyLonger = (timesA: readonly number[], timesB: readonly number[]): boolean =>
  mean(timesB) > mean(timesA) && computeRankSumZ(timesA, timesB) > CLEAR_Z;

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
