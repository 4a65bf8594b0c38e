/** Counters of the testers and sessions of each build, so that comparisons of builds need not read their sessions. */

import {
  type BuildCountedSession,
  isOpen,
  listDurations,
  listSessionCounts,
  type SessionCount,
  type SessionCountKind,
} from "./build-facts.ts";
import { addToCounter } from "./counters.ts";
import type { Db, SessionRow } from "./schema.ts";
import { ALL_ENVIRONMENTS, type TesterCountKind } from "./tester-facts.ts";

/** The columns of a session that its build's counters are found by. */
type BuildScope = Pick<SessionRow, "game_id" | "build" | "environment">;

export type BuildCountKind = TesterCountKind | SessionCountKind;

/** Adds to the counters of a session's build that sum over sessions. */
export async function addToBuildCounts(
  db: Db,
  { game_id, build, environment }: BuildScope,
  counts: readonly SessionCount[],
  by: 1 | -1,
): Promise<void> {
  const scopes = new Set([environment, ALL_ENVIRONMENTS]);
  await addToCounter(
    db,
    "build_counts",
    [...scopes].flatMap((scope) =>
      counts.map(({ kind, name, amount }) => ({
        row: { game_id, build, environment: scope, kind, name },
        by: by * amount,
      })),
    ),
  );
}

/** Updates the counters after a session was added (`before` is null), changed or deleted (`after` is null). */
export async function recountBuild(
  db: Db,
  before: BuildCountedSession | null,
  after: BuildCountedSession | null,
): Promise<void> {
  if (before && after && isCountedAlike(before, after)) return;
  for (const [session, by] of [
    [before, -1],
    [after, 1],
  ] as const) {
    if (session === null) continue;
    await addToBuildCounts(db, session, listSessionCounts(session), by);
    const durations = listDurations(session).map((row) => ({ row, by }));
    await addToCounter(db, "build_durations", durations);
  }
}

/** Whether a change of a session leaves the counters as they are, which most changes do. */
function isCountedAlike(before: BuildCountedSession, after: BuildCountedSession): boolean {
  const columns = ["build", "environment", "country", "analysis_version"] as const;
  if (isOpen(before) !== isOpen(after) || columns.some((column) => before[column] !== after[column]))
    return false;
  return isOpen(after) || (before.wall_ms === after.wall_ms && before.active_ms === after.active_ms);
}
