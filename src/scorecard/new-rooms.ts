/** How the rows of a room are judged that nobody of a entered: alone, against the share that is allowed in it. */
import { binomialProbabilities } from "../statistics/binomial.ts";
import type { FixedTest } from "../statistics/family.ts";
import { countPairs, type ShareCounts } from "../statistics/row-tests.ts";
import type { GroupFacts, SessionFacts } from "./facts.ts";
import type { NotComparable } from "./rows.ts";

export interface NewRoomOptions {
  /** The largest share of those who entered a new room that may meet friction in it, or quit there, from 0 to 1. */
  readonly max: number;
  /** Whether testers who had played a count too. Their practice makes a new room look easier. */
  readonly count: "new" | "all";
}

/** A new room needs this many testers. */
const MIN_TESTERS = 5;

/** Why a new room with this number of counted testers cannot be judged; null if it can. */
export function judgeNewRoom(
  room: string,
  entered: number,
  { a, b }: { readonly a: GroupFacts; readonly b: GroupFacts },
): NotComparable | null {
  if (entered < MIN_TESTERS) return "room is new, and few entered it";
  const before = findRoomBefore(room, b);
  return before !== null && !hasCompleted(before, a) ? "room is new, and nobody of a got that far" : null;
}

/** Limits of 0 and 1 are this far from them, so that every number of testers has a probability. */
const LEAST = 1e-9;

/** Tests whether more than the allowed share of the testers of b have the outcome. */
export function testNewRoom({ b, pairs }: ShareCounts, { max }: NewRoomOptions): FixedTest {
  const tails = binomialProbabilities(
    b.total + countPairs({ pairs }),
    Math.min(Math.max(max, LEAST), 1 - LEAST),
  );
  for (let least = tails.length - 2; least >= 0; least -= 1)
    tails[least] = Math.min(1, (tails[least] ?? 0) + (tails[least + 1] ?? 0));
  return { pValue: tails[b.count + pairs.both + pairs.onlyB] ?? 1, attainable: tails };
}

const hasCompleted = (room: string, { testers }: GroupFacts): boolean =>
  testers.some(({ sessions }) =>
    sessions.some(({ rooms }) => rooms.some((one) => one.room === room && one.completed)),
  );

/** The room from which most sessions came into a room; null if it is the first one. */
function findRoomBefore(room: string, { testers }: GroupFacts): string | null {
  const counts = new Map<string, number>();
  for (const session of testers.flatMap(({ sessions }) => sessions)) {
    const before = roomBefore(session, room);
    if (before !== null) counts.set(before, (counts.get(before) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? null;
}

/** The last room that a session entered before it first entered a room; null if there is none. */
function roomBefore({ rooms }: SessionFacts, room: string): string | null {
  const entered = rooms.find((one) => one.room === room)?.afterSec ?? -1;
  const before = rooms.filter((one) => one.room !== room && one.afterSec <= entered);
  return before.sort((one, other) => other.afterSec - one.afterSec)[0]?.room ?? null;
}
