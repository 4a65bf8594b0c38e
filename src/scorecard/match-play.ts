/**
 * Makes the play of two groups equally long, for outcomes that become more likely the longer somebody plays, such as friction
 * and crashes. What counts is active time, so that one long session is as much as four short ones.
 *
 * A tester in both groups is matched with themselves. The others are ordered by their time, and those at the same quantile of
 * both orders are matched, which is the optimal matching of two sets of numbers: G. Peyré and M. Cuturi, "Computational
 * Optimal Transport" (2019), section 2.6. Whoever played longer is cut off at the time of the other.
 */
import { sum } from "../statistics/averages.ts";
import { computePermutationZ } from "../statistics/permutation.ts";
import type { AlignedTesters } from "./align.ts";
import type { SessionFacts, TesterFacts } from "./facts.ts";

/** Two groups played for different times if they differ by more than this many standard deviations of chance. */
const UNEQUAL_Z = 1.645;

/** A tester with the active time of their analyzed sessions, in seconds. */
interface Timed {
  readonly tester: TesterFacts;
  readonly activeSec: number;
}

const withTime = (tester: TesterFacts): Timed => ({
  tester,
  activeSec: tester.sessions.reduce(
    (total, { analyzed, activeSec }) => (analyzed ? total + activeSec : total),
    0,
  ),
});

const isKnown = ({ sessions }: TesterFacts) => sessions.some(({ analyzed }) => analyzed);

const toSeconds = ({ activeSec }: Timed) => activeSec;

/** The comparable play of each tester: analyzed sessions up to the cut. Empty for testers without analyzed play. */
export function matchPlay({
  onlyA,
  onlyB,
  both,
}: AlignedTesters): ReadonlyMap<TesterFacts, readonly SessionFacts[]> {
  const limits = new Map<TesterFacts, number>();
  const pairs = both
    .filter((pair) => pair.every(isKnown))
    .map(([inA, inB]) => [withTime(inA), withTime(inB)] as const);
  const [timesA, timesB] = [pairs.map(([inA]) => toSeconds(inA)), pairs.map(([, inB]) => toSeconds(inB))];
  if (isUnequal(timesA, timesB, true)) {
    for (const pair of pairs) {
      const shorter = Math.min(...pair.map(toSeconds));
      for (const { tester } of pair) limits.set(tester, shorter);
    }
  }
  const halves = both.filter((pair) => !pair.every(isKnown));
  const order = (testers: readonly TesterFacts[]) =>
    testers
      .filter(isKnown)
      .map(withTime)
      .sort((one, other) => other.activeSec - one.activeSec);
  const singlesA = order([...onlyA, ...halves.map(([inA]) => inA)]);
  const singlesB = order([...onlyB, ...halves.map(([, inB]) => inB)]);
  if (isUnequal(singlesA.map(toSeconds), singlesB.map(toSeconds), false)) {
    limitByRank(limits, singlesA, singlesB);
    limitByRank(limits, singlesB, singlesA);
  }
  const matched = new Map<TesterFacts, readonly SessionFacts[]>();
  for (const tester of [...onlyA, ...onlyB, ...both.flat()]) {
    matched.set(tester, cutPlay(tester, limits.get(tester)));
  }
  return matched;
}

/**
 * Cutting what differs by chance alone would only lose play. One very long session can hide a difference between the means of
 * the times, and some very short ones that between the means of their logarithms.
 */
function isUnequal(a: readonly number[], b: readonly number[], arePairs: boolean): boolean {
  const differ = arePairs ? computePairedZ : computePermutationZ;
  const [logA, logB] = [a.map(Math.log1p), b.map(Math.log1p)];
  return Math.max(Math.abs(differ(a, b)), Math.abs(differ(logA, logB))) > UNEQUAL_Z;
}

/** How far second values are above first ones of the same testers, in standard deviations over all ways to swap them. */
function computePairedZ(first: readonly number[], second: readonly number[]): number {
  const differences = first.map((value, at) => (second[at] ?? 0) - value);
  const squares = sum(differences.map((value) => value ** 2));
  return squares > 0 ? sum(differences) / Math.sqrt(squares) : 0;
}

function limitByRank(
  limits: Map<TesterFacts, number>,
  testers: readonly Timed[],
  others: readonly Timed[],
): void {
  if (others.length === 0) return;
  for (const [rank, { tester }] of testers.entries()) {
    const match = others[Math.floor(((rank + 0.5) / testers.length) * others.length)];
    limits.set(tester, match?.activeSec ?? 0);
  }
}

/** The analyzed sessions up to a limit of active time. */
function cutPlay({ sessions }: TesterFacts, limitSec = Number.POSITIVE_INFINITY): SessionFacts[] {
  const kept: SessionFacts[] = [];
  let before = 0;
  for (const session of sessions) {
    if (!session.analyzed) continue;
    const left = limitSec - before;
    if (left <= 0) break;
    kept.push(session.activeSec <= left ? session : cutSession(session, left));
    before += session.activeSec;
  }
  return kept;
}

/**
 * What happened in the first seconds of a session. The cut is not its end, so nobody crashed or quit there. What is about no
 * moment, such as an answer, is about the session and is kept: without it, whoever played longer would seem to have less of it.
 */
function cutSession(session: SessionFacts, sec: number): SessionFacts {
  return {
    ...session,
    activeSec: sec,
    crashed: false,
    rooms: session.rooms
      .filter(({ afterSec }) => afterSec < sec)
      .map((room) => ({ ...room, completed: false, quit: false, gaveUp: false })),
    tags: session.tags.filter(({ afterSec }) => afterSec === null || afterSec <= sec),
  };
}
