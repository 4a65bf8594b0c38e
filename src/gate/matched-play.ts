/**
 * Compares testers of two builds who played equally often. A tester who plays three sessions meets more friction than one
 * who plays one, so two equal builds differ if the testers of one of them return more often.
 *
 * The testers of each build are ordered by number of sessions. The testers at the same quantile of both orders are a pair,
 * and both sides of a pair keep only as many first sessions as the shorter one has. Both builds then have the same
 * distribution of sessions per tester, and nothing is lost if they had it before. Pairing in order is the optimal matching
 * of two sets of numbers: G. Peyré and M. Cuturi, "Computational Optimal Transport" (2019), section 2.6.
 */
import type { SessionExposure, TesterExposure } from "../contract/build-exposure.ts";

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

/** Matches the testers of two builds. Ties keep their order, so the same input always gives the same pairs. */
export function matchPlay(a: readonly TesterExposure[], b: readonly TesterExposure[]): MatchedPlay {
  const [orderedA, orderedB] = [orderBySessions(a), orderBySessions(b)];
  return { a: truncateToMatch(orderedA, orderedB), b: truncateToMatch(orderedB, orderedA) };
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
