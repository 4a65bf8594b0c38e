/** Records which hours have sessions or feedback that were added, changed or deleted, and reads them in order. */
import { sql } from "kysely";
import { HOUR_MS } from "../../shared/time-units.ts";
import { prepareQuery } from "../db/prepared.ts";
import { putRow } from "../db/rows.ts";
import type { Db, SessionChangeRow } from "../db/schema.ts";
import { isSharded } from "../db/sharding.ts";

/**
 * Batches of a session are recorded once per this time, ms, so that a game that sends one every second does not write to
 * the same row each time. The last ones are covered by what listChanges repeats, and by the analysis that follows them.
 */
const BATCH_INTERVAL_MS = 600_000;

/** Whether a batch is the first one of its session in an interval. */
export function startsInterval(previous: number | null, now: number): boolean {
  return (
    previous === null || Math.floor(previous / BATCH_INTERVAL_MS) !== Math.floor(now / BATCH_INTERVAL_MS)
  );
}

const toHour = (ms: number): number => Math.floor(ms / HOUR_MS);

/**
 * Records that data of a time has changed. The times of a game's changes always increase, also after the clock was set
 * back, so that a later change never seems to be one that was already read.
 */
export async function recordSessionChange(db: Db, gameId: string, time: number, now: number): Promise<void> {
  if (isSharded(db)) return await recordShardedSessionChange(db, gameId, time, now);
  await sessionChangeQuery(db, { gameId, hour: toHour(time), now });
}

/** The same in two statements, because Citus takes locks that may deadlock if rows are selected for an insertion. */
async function recordShardedSessionChange(db: Db, gameId: string, time: number, now: number): Promise<void> {
  const newest = await findLastChange(db, gameId);
  const changed_at = newest !== null && newest >= now ? newest + 1 : now;
  await putRow(db, "session_changes", { game_id: gameId, hour: toHour(time), changed_at });
}

const sessionChangeQuery = prepareQuery(
  (db, { gameId, hour, now }: { gameId: string; hour: number; now: number }) => {
    const insertion = sql`
      insert into session_changes (game_id, hour, changed_at)
      select cast(${gameId} as text), cast(${hour} as bigint),
        case when newest.changed_at >= ${now} then newest.changed_at + 1 else ${now} end
      from (select max(changed_at) as changed_at from session_changes where game_id = ${gameId}) as newest
      where true
      on conflict (game_id, hour) do update set changed_at = excluded.changed_at
    `;
    return { compile: () => insertion.compile(db) };
  },
);

/** The time of the latest change of a game; null without any. */
export async function findLastChange(db: Db, gameId: string): Promise<number | null> {
  const row = await db
    .selectFrom("session_changes")
    .select((eb) => eb.fn.max<number | null>("changed_at").as("at"))
    .where("game_id", "=", gameId)
    .executeTakeFirst();
  return row?.at == null ? null : Number(row.at);
}

export type ChangePosition = Pick<SessionChangeRow, "changed_at" | "hour">;

/** The changes of a game after a position, in the order of their times. */
export async function findChangesAfter(
  db: Db,
  gameId: string,
  after: ChangePosition,
  limit: number,
): Promise<ChangePosition[]> {
  const rows = await db
    .selectFrom("session_changes")
    .select(["changed_at", "hour"])
    .where("game_id", "=", gameId)
    .where((eb) => eb(eb.refTuple("changed_at", "hour"), ">", eb.tuple(after.changed_at, after.hour)))
    .orderBy("changed_at")
    .orderBy("hour")
    .limit(limit)
    .execute();
  return rows.map(({ changed_at, hour }) => ({ changed_at: Number(changed_at), hour: Number(hour) }));
}
