/** Updates the counters of sessions and devices, from which totals are read. */
import { recountBuild } from "../db/build-counters.ts";
import { type BuildCountedSession, findDeviceFact } from "../db/build-facts.ts";
import { addTesterFacts } from "../db/build-testers.ts";
import { addToCounter, type CounterChange, type CounterTable } from "../db/counters.ts";
import { toEpochDay } from "../db/days.ts";
import type { Db, SessionRow } from "../db/schema.ts";

/** The columns of a session that the keys of its counters are made from. */
export type CountedSession = Pick<
  SessionRow,
  "game_id" | "account_id" | "build" | "environment" | "status" | "source" | "recorded_at"
> &
  BuildCountedSession;

/** Counts a new session, and its device if the game has not seen it before. */
export async function countNewSession(db: Db, session: CountedSession): Promise<void> {
  await addToSessionCounters(db, [toCounterChange(session, 1)]);
  await recountBuild(db, null, session);
  await addTesterFacts(db, session, [findDeviceFact(session)], 1);
  const { game_id, device_id } = session;
  if (device_id === null) return;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("game_devices")
    .values({ game_id, device_id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows) await addToCounter(db, "game_counts", [{ row: { game_id }, by: 1 }]);
}

/**
 * Subtracts a session whose row was deleted, and its device if the game has no other session of it. The caller has locked the
 * sessions of the game.
 */
export async function countDeletedSession(db: Db, session: CountedSession): Promise<void> {
  await addToSessionCounters(db, [toCounterChange(session, -1)]);
  await recountBuild(db, session, null);
  await addTesterFacts(db, session, [findDeviceFact(session)], -1);
  const { game_id, device_id } = session;
  if (device_id === null) return;
  const other = await db
    .selectFrom("sessions")
    .select("id")
    .where("game_id", "=", game_id)
    .where("device_id", "=", device_id)
    .limit(1)
    .executeTakeFirst();
  if (other) return;
  const { numDeletedRows } = await db
    .deleteFrom("game_devices")
    .where("game_id", "=", game_id)
    .where("device_id", "=", device_id)
    .executeTakeFirstOrThrow();
  if (numDeletedRows) await addToCounter(db, "game_counts", [{ row: { game_id }, by: -1 }]);
}

/** The counted columns that may change after a session was created. */
const countedColumns = ["status", "source", "build", "environment", "recorded_at"] as const;

/** Updates the counters after a change of a session. */
export async function recountSession(
  db: Db,
  before: CountedSession,
  changed: Partial<SessionRow>,
): Promise<void> {
  await recountBuild(db, before, { ...before, ...changed });
  if (countedColumns.every((column) => (changed[column] ?? before[column]) === before[column])) return;
  await addToSessionCounters(db, [
    toCounterChange(before, -1),
    toCounterChange({ ...before, ...changed }, 1),
  ]);
}

const toCounterChange = (row: CountedSession, by: number): CounterChange => ({
  row: { ...row, day: toEpochDay(row.recorded_at) },
  by,
});

const sessionCounters: readonly CounterTable[] = [
  "session_counts",
  "account_session_counts",
  "account_session_day_counts",
];

async function addToSessionCounters(db: Db, changes: readonly CounterChange[]): Promise<void> {
  for (const table of sessionCounters) await addToCounter(db, table, changes);
}
