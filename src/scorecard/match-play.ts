/**
 * Makes the play of two groups equally long, for outcomes that become more likely the longer somebody plays, such as friction
 * and crashes. What counts is active time, so that one long session is as much as four short ones.
 *
 * A tester in both groups is matched with themselves. The others are ordered by their time, and those at the same quantile of
 * both orders are matched, which is the optimal matching of two sets of numbers: G. Peyré and M. Cuturi, "Computational
 * Optimal Transport" (2019), section 2.6. Whoever played longer is cut off at the time of the other.
 */
import { computePermutationZ } from "../statistics/permutation.ts";
import type { SessionFacts, TesterFacts } from "./facts.ts";

/** The part of a tester's play that is compared. */
export interface MatchedTester {
  readonly tester: TesterFacts;
  /** Analyzed sessions up to the cut, with what happened before it. */
  readonly sessions: readonly SessionFacts[];
}

/** Whether two groups played for different times by more than this many standard deviations of chance. */
const UNEQUAL_Z = 1.645;

/** Active time of the analyzed sessions of a tester, in seconds. */
const sumActive = ({ sessions }: TesterFacts): number =>
  sessions.reduce((sum, { analyzed, activeSec }) => sum + (analyzed ? activeSec : 0), 0);

/** Testers with analyzed play. */
const isKnown = ({ sessions }: TesterFacts) => sessions.some(({ analyzed }) => analyzed);

/** The comparable play of both groups, in the order of their testers. Testers without analyzed play are left out. */
export function matchPlay(
  a: readonly TesterFacts[],
  b: readonly TesterFacts[],
): { readonly a: readonly MatchedTester[]; readonly b: readonly MatchedTester[] } {
  const [knownA, knownB] = [a.filter(isKnown), b.filter(isKnown)];
  const limits = new Map<TesterFacts, number>();
  const byId = new Map(knownA.flatMap((one) => (one.tester === null ? [] : [[one.tester, one] as const])));
  const pairs = knownB.flatMap((one) => {
    const other = one.tester === null ? undefined : byId.get(one.tester);
    return other === undefined ? [] : [[other, one] as const];
  });
  if (
    isUnequal(
      pairs.map(([one]) => sumActive(one)),
      pairs.map(([, one]) => sumActive(one)),
      true,
    )
  )
    for (const [one, other] of pairs) limit(limits, one, other);
  const paired = new Set(pairs.flat());
  const [singlesA, singlesB] = [knownA, knownB].map((testers) =>
    testers
      .filter((tester) => !paired.has(tester))
      .map((tester) => ({ tester, activeSec: sumActive(tester) }))
      .sort((one, other) => other.activeSec - one.activeSec),
  ) as [Timed[], Timed[]];
  if (isUnequal(singlesA.map(toSeconds), singlesB.map(toSeconds), false)) {
    limitByRank(limits, singlesA, singlesB);
    limitByRank(limits, singlesB, singlesA);
  }
  const cut = (tester: TesterFacts) => ({ tester, sessions: cutPlay(tester, limits.get(tester)) });
  return { a: knownA.map(cut), b: knownB.map(cut) };
}

interface Timed {
  readonly tester: TesterFacts;
  readonly activeSec: number;
}

const toSeconds = ({ activeSec }: Timed) => activeSec;

function limit(limits: Map<TesterFacts, number>, one: TesterFacts, other: TesterFacts): void {
  const shorter = Math.min(sumActive(one), sumActive(other));
  limits.set(one, shorter);
  limits.set(other, shorter);
}

/** Cutting what differs by chance alone would only lose play. Logarithms keep one very long session from hiding the rest. */
function isUnequal(a: readonly number[], b: readonly number[], arePairs: boolean): boolean {
  const [logA, logB] = [a.map(Math.log1p), b.map(Math.log1p)];
  if (!arePairs) return Math.abs(computePermutationZ(logA, logB)) > UNEQUAL_Z;
  const differences = logA.map((value, at) => (logB[at] ?? 0) - value);
  const squares = differences.reduce((sum, value) => sum + value ** 2, 0);
  const total = differences.reduce((sum, value) => sum + value, 0);
  return squares > 0 && Math.abs(total) / Math.sqrt(squares) > UNEQUAL_Z;
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

/** What happened in the first seconds of a session. The cut is not its end, so nobody crashed or quit there. */
function cutSession(session: SessionFacts, sec: number): SessionFacts {
  return {
    ...session,
    activeSec: sec,
    crashed: false,
    rooms: session.rooms
      .filter(({ afterSec }) => afterSec < sec)
      .map((room) => ({ ...room, completed: false, quit: false, gaveUp: false })),
    tags: session.tags.filter(({ afterSec }) => (afterSec ?? session.activeSec) <= sec),
  };
}
