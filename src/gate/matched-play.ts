/**
 * Compares testers of two builds who played equally often. A tester who plays three sessions meets more friction than one
 * who plays one, so two equal builds differ if the testers of one of them return more often.
 *
 * The testers of each build are ordered by number of sessions. The testers at the same quantile of both orders are a pair,
 * and both sides of a pair keep only as many first sessions as the shorter one has. Both builds then have the same
 * distribution of sessions per tester, and nothing is lost if they had it before. Pairing in order is the optimal matching
 * of two sets of numbers: G. Peyré and M. Cuturi, "Computational Optimal Transport" (2019), section 2.6.
 *
 * Truncating sessions that differ only by chance would make the gate less sensitive, so nothing is truncated unless a
 * rank-sum test finds a difference.
 */
import type { SessionExposure, TesterExposure } from "../contract/build-exposure.ts";
import { computeRankSumZ } from "../shared/statistics/rank-sum.ts";

/**
 * How many standard deviations two builds may differ in play by chance: the normal quantile of the level 0.1. A higher
 * level makes more allowance for chance differences, and the gate less sensitive; a lower one fails equal builds. Chosen
 * by simulation (`npm run bench -- statistics`).
 */
export const MAX_CHANCE_Z = 1.2815515655446004;

/** A tester, and the first sessions that are compared. */
export interface MatchedTester {
  readonly sessions: readonly SessionExposure[];
}

/** The testers of both builds that can be compared. */
export interface MatchedPlay {
  readonly a: readonly MatchedTester[];
  readonly b: readonly MatchedTester[];
}

/** Testers with a device id. Without one, several sessions may be of the same tester, so they are not independent. */
export const identifiedTesters = (testers: readonly TesterExposure[]) =>
  testers.filter(({ anonymous, sessions }) => !anonymous && sessions.length > 0);

/** Matches the testers of two builds, if they did not play equally often. Ties keep their order, so the same input always gives the same pairs. */
export function matchPlay(a: readonly TesterExposure[], b: readonly TesterExposure[]): MatchedPlay {
  const [orderedA, orderedB] = [orderBySessions(a), orderBySessions(b)];
  if (!havePlayedUnequally(orderedA, orderedB)) return { a: orderedA, b: orderedB };
  return { a: truncateToMatch(orderedA, orderedB), b: truncateToMatch(orderedB, orderedA) };
}

/** Whether the testers of one build have more sessions than chance explains: rank-sum test at the level 0.1 in each direction. */
function havePlayedUnequally(a: readonly MatchedTester[], b: readonly MatchedTester[]): boolean {
  const count = ({ sessions }: MatchedTester) => sessions.length;
  return Math.abs(computeRankSumZ(a.map(count), b.map(count))) > MAX_CHANCE_Z;
}

const orderBySessions = (testers: readonly TesterExposure[]) =>
  identifiedTesters(testers).sort((x, y) => y.sessions.length - x.sessions.length);

/** Keeps as many sessions of each tester as the tester at the same quantile of the other build has. */
function truncateToMatch(
  testers: readonly MatchedTester[],
  others: readonly MatchedTester[],
): readonly MatchedTester[] {
  if (others.length === 0) return testers;
  return testers.map(({ sessions }, rank) => {
    const match = others[Math.floor(((rank + 0.5) / testers.length) * others.length)];
    return { sessions: sessions.slice(0, match?.sessions.length ?? 0) };
  });
}

/** The number of sessions of all testers. */
export const countSessions = (testers: readonly MatchedTester[]) =>
  testers.reduce((sum, { sessions }) => sum + sessions.length, 0);
