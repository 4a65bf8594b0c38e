/**
 * Whether build b was played longer. Of two equal builds, the build that is played longer has more friction if friction
 * comes by the minute, which the test allows for (src/statistics/hazard.ts). Friction may also come once per session,
 * whatever its length, so a build that was played less gets no such allowance.
 */
import type { SessionHistory } from "../contract/play-history.ts";
import { mean, sum } from "../statistics/averages.ts";
import { normalQuantile } from "../statistics/normal.ts";
import { computeRankSumZ } from "../statistics/rank-sum.ts";
import { findMaxChanceZ, type MatchedTester } from "./matched-play.ts";

/** The lowest level of the test for longer play. */
const MIN_PLAY_TIME_LEVEL = 0.05;

/**
 * The active time of each tester outside a room, in seconds; null is the time everywhere. Friction in a room can keep
 * testers there, so the time in the room must not excuse the friction.
 */
export const sumActiveTimes = (testers: readonly MatchedTester[], room: string | null = null) =>
  testers.map(({ sessions }) =>
    sum(sessions.map((session) => Math.max(0, session.activeSec - timeInRoom(session, room)))),
  );

const timeInRoom = ({ rooms }: SessionHistory, room: string | null) =>
  sum(rooms.map((entered) => (entered.room === room ? entered.activeSec : 0)));

/** Whether b was played longer than chance explains: one-sided rank-sum test. */
export const isPlayedLonger = (timesA: readonly number[], timesB: readonly number[]): boolean =>
  mean(timesB) > mean(timesA) &&
  computeRankSumZ(timesA, timesB) > findMaxChanceZ(MIN_PLAY_TIME_LEVEL, timesA.length, timesB.length);

/** The level of the test for clearly longer play. */
const CLEAR_LEVEL = 0.005;

/**
 * Whether b was played longer by enough to make the gate inconclusive if it is too insensitive: one-sided rank-sum test at the level
 * 0.005. At the level 0.1, a tenth of all equal builds with enough testers would be inconclusive.
 */
export const isPlayedClearlyLonger = (timesA: readonly number[], timesB: readonly number[]): boolean =>
  mean(timesB) > mean(timesA) && computeRankSumZ(timesA, timesB) > normalQuantile(1 - CLEAR_LEVEL);
