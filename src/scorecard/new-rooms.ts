/** When a room that nobody of a entered can be judged. */
import type { GroupFacts, SessionFacts } from "./facts.ts";
import type { Measure } from "./metrics.ts";
import type { NotComparable } from "./rows.ts";

export interface NewRoomOptions {
  /** The largest share of those who entered a new room that may meet friction in it, or quit there, from 0 to 1. */
  readonly max: number;
  /** Whether testers who had played a count too. Their practice makes a new room look easier. */
  readonly count: "new" | "all";
}

/** A new room needs this many testers. */
const MIN_TESTERS = 5;

/** Why the row of a new room cannot be judged; null if it can. */
export function judgeNewRoom(
  { room }: Measure,
  [a, b]: readonly GroupFacts[],
  { count }: NewRoomOptions,
): NotComparable | null {
  if (room === null || a === undefined || b === undefined) return null;
  const before = findRoomBefore(room, b);
  const known = new Set(a.testers.flatMap(({ tester }) => tester ?? []));
  const entered = b.testers.filter(
    ({ tester, sessions }) =>
      (count === "all" || tester === null || !known.has(tester)) &&
      sessions.some(({ rooms }) => rooms.some((one) => one.room === room)),
  );
  if (entered.length < MIN_TESTERS) return "room is new, and few entered it";
  if (before !== null && !hasCompleted(before, a)) return "room is new, and nobody of a got that far";
  return null;
}

const hasCompleted = (room: string, { testers }: GroupFacts): boolean =>
  testers.some(({ sessions }) =>
    sessions.some(({ rooms }) => rooms.some((one) => one.room === room && one.completed)),
  );

/** The room from which most sessions came into a room; null if it is the first one. */
function findRoomBefore(room: string, { testers }: GroupFacts): string | null {
  const counts = new Map<string, number>();
  for (const { sessions } of testers) {
    for (const session of sessions) {
      const before = roomBefore(session, room);
      if (before !== null) counts.set(before, (counts.get(before) ?? 0) + 1);
    }
  }
  return [...counts].reduce<[string | null, number]>(
    (best, [name, count]) => (count > best[1] ? [name, count] : best),
    [null, 0],
  )[0];
}

function roomBefore({ rooms }: SessionFacts, room: string): string | null {
  const entered = rooms.find((one) => one.room === room)?.afterSec;
  if (entered === undefined) return null;
  return (
    rooms
      .filter((one) => one.room !== room && one.afterSec <= entered)
      .sort((x, y) => y.afterSec - x.afterSec)[0]?.room ?? null
  );
}
