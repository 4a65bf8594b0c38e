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
 * permutation test finds a difference. It compares what the numbers of sessions do to friction: the chance to meet a tag
 * that comes in a fifth of sessions. It finds more differences than a rank-sum test does, and one tester with very many
 * sessions cannot hide them, because the chance is at most 1.
 */
import type { SessionHistory, TesterHistory } from "../contract/play-history.ts";
import { normalQuantile } from "../statistics/normal.ts";
import { computePermutationZ } from "../statistics/permutation.ts";

/** Up to this many testers in the smaller build, the tests for unequal play have their lowest level. */
const FEW_TESTERS = 10;
/** The level rises by this with each further tester, up to the highest level. */
const [LEVEL_PER_TESTER, MAX_LEVEL] = [0.005, 0.1];
/** The lowest level of the test for unequal numbers of sessions. */
const MIN_SESSIONS_LEVEL = 0.025;

/**
 * How many standard deviations two builds with these numbers of testers may differ in play by chance, in one direction:
 * the normal quantile of the level of the test. A higher level makes more allowance for chance differences, and the gate
 * less sensitive; a lower one fails equal builds. With few testers, Fisher's test fails equal builds in far less than 5%
 * of runs, because few p-values are possible. That leaves room for a lower level where the gate is least sensitive. All
 * levels are chosen by simulation (`npm run bench -- statistics`).
 */
export function findMaxChanceZ(minLevel: number, testersA: number, testersB: number): number {
  const more = Math.max(0, Math.min(testersA, testersB) - FEW_TESTERS);
  return normalQuantile(1 - Math.min(MAX_LEVEL, minLevel + LEVEL_PER_TESTER * more));
}

/** The share of sessions that meet a typical tag. Simulations with 5% to 40% differ little. */
const TYPICAL_TAG_SHARE = 0.2;

/** A tester, and the first sessions that are compared. */
export interface MatchedTester {
  readonly sessions: readonly SessionHistory[];
}

/** The testers of both builds that can be compared. */
export interface MatchedPlay {
  readonly a: readonly MatchedTester[];
  readonly b: readonly MatchedTester[];
}

/** Testers with a device id. Without one, several sessions may be of the same tester, so they are not independent. */
export const identifiedTesters = (testers: readonly TesterHistory[]) =>
  testers.filter(({ anonymous, sessions }) => !anonymous && sessions.length > 0);

/** Matches the testers of two builds, if they did not play equally often. Ties keep their order, so the same input always gives the same pairs. */
export function matchPlay(a: readonly TesterHistory[], b: readonly TesterHistory[]): MatchedPlay {
  const [orderedA, orderedB] = [orderBySessions(a), orderBySessions(b)];
  if (!havePlayedUnequally(orderedA, orderedB)) return { a: orderedA, b: orderedB };
  return { a: truncateToMatch(orderedA, orderedB), b: truncateToMatch(orderedB, orderedA) };
}

/** Whether the testers of one build have more sessions than chance explains, in either direction. */
function havePlayedUnequally(a: readonly MatchedTester[], b: readonly MatchedTester[]): boolean {
  const chance = ({ sessions }: MatchedTester) => 1 - (1 - TYPICAL_TAG_SHARE) ** sessions.length;
  const z = computePermutationZ(a.map(chance), b.map(chance));
  return Math.abs(z) > findMaxChanceZ(MIN_SESSIONS_LEVEL, a.length, b.length);
}

const orderBySessions = (testers: readonly TesterHistory[]) =>
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
