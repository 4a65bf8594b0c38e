/** Finds the sessions that pruning applies to, and deletes their stored events. */
import { type ExpressionBuilder, type SqlBool, sql } from "kysely";
import { ANALYSIS_VERSION } from "../analysis/version.ts";
import { toQuarantined } from "../db/quarantined-ids.ts";
import { countRows, updateRows } from "../db/rows.ts";
import type { Db, Schema, SessionRow } from "../db/schema.ts";
import { isReachable } from "../db/sharding.ts";
import { MAX_SESSION_MS } from "../sessions/durations.ts";

type SessionExpression = ExpressionBuilder<Schema, "sessions">;

/** Identifies a session, and its place in the order in which sessions are pruned. */
export type PrunableSession = Pick<SessionRow, "game_id" | "id" | "recorded_at">;

const prunableColumns = ["game_id", "id", "recorded_at"] as const;

/** A long step between events counts, unless it is longer than a session: the device may have slept, not its clock jumped. */
const endTime = sql<number>`recorded_at + wall_ms + case when jump_ms > ${sql.lit(MAX_SESSION_MS)} then 0 else jump_ms end`;

/** Whether a session ended before a time. The condition on the start lets the search use an index. */
const endedBefore = (time: number) => (eb: SessionExpression) =>
  eb.and([eb("recorded_at", "<=", time), eb(endTime, "<=", time)]);

/** Whether a session still has events. Written as in the index, because SQLite does not match it with parameters. */
const hasEvents = sql<boolean>`events_pruned_at is null and next_batch > 0`;

/**
 * Whether a session has final results: no analysis is queued or running, and the current rules have analyzed it. Others wait,
 * because they could not be analyzed without their events. The plus signs keep SQLite from using an index of these columns,
 * which would read nearly all sessions.
 */
const isSettled = (eb: SessionExpression) =>
  eb.and([
    sql<SqlBool>`+analysis_due is null and +reanalysis_due is null and +analysis_lease is null`,
    eb.or([
      eb(eb.fn.coalesce("analysis_version", sql.lit(0)), ">=", ANALYSIS_VERSION),
      eb.and([eb("status", "=", "failed"), eb("analysis_version", "is", null)]),
    ]),
  ]);

/** When sessions ended, unix ms. */
interface EndRange {
  readonly before: number;
  /** Default: no limit. */
  readonly after?: number | null;
}

/** Sessions with events that ended in a range, oldest first, beginning after the session `after`. */
export async function findSessionsWithEvents(
  db: Db,
  range: EndRange,
  after: PrunableSession | null,
  limit: number,
): Promise<PrunableSession[]> {
  return await selectSessionsWithEvents(db, range, after, limit).execute();
}

const selectSessionsWithEvents = (db: Db, range: EndRange, after: PrunableSession | null, limit: number) =>
  db
    .selectFrom("sessions")
    .select(prunableColumns)
    .where(isReachable(db))
    .where(hasEvents)
    .where(endedBefore(range.before))
    .$if(typeof range.after === "number", (query) => query.where(endTime, ">", range.after ?? 0))
    .where(isSettled)
    .$if(after !== null, (query) =>
      query
        .where("recorded_at", ">=", after?.recorded_at ?? 0)
        .where((eb) =>
          eb.or([eb("recorded_at", ">", after?.recorded_at ?? 0), eb("id", ">", after?.id ?? "")]),
        ),
    )
    .orderBy("recorded_at")
    .orderBy("id")
    .limit(limit);

/** The number of sessions that ended before a time, and whose events are kept until they have been analyzed. */
export async function countUnsettledSessions(db: Db, time: number): Promise<number> {
  return await countRows(
    db
      .selectFrom("sessions")
      .where(isReachable(db))
      .where(hasEvents)
      .where(endedBefore(time))
      .where((eb) => eb.not(isSettled(eb))),
  );
}

/**
 * Marks the events of a session as pruned. Returns false if the session has changed since it was found, or if it is locked:
 * it may be receiving events.
 */
export async function markPruned(
  db: Db,
  { game_id, id }: PrunableSession,
  { time, now }: { readonly time: number; readonly now: number },
): Promise<boolean> {
  const locked = await db
    .selectFrom("sessions")
    .select("id")
    .where((eb) => eb.and({ game_id, id }))
    .where(hasEvents)
    .where(endedBefore(time))
    .where(isSettled)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!locked) return false;
  await updateRows(db, "sessions", { game_id, id }, { events_pruned_at: now });
  return true;
}

/** A stored batch of a session: its number, its events, and the bytes that they take. */
export interface BatchSize {
  readonly seq: number;
  readonly events: number;
  readonly bytes: number;
}

/** The sizes of the first batches of a session. */
export async function findBatchSizes(
  db: Db,
  { game_id, id }: Pick<PrunableSession, "game_id" | "id">,
  limit: number,
): Promise<BatchSize[]> {
  const rows = await db
    .selectFrom("event_batches")
    .select(["seq", "event_count as events", sql<number>`length(payload)`.as("bytes")])
    .where((eb) => eb.and({ game_id, session_id: id }))
    .orderBy("seq")
    .limit(limit)
    .execute();
  return rows.map(({ seq, events, bytes }) => ({ seq, events, bytes: Number(bytes) }));
}

/** Deletes the batches of a session up to a number. */
export async function deleteBatches(
  db: Db,
  { game_id, id }: Pick<PrunableSession, "game_id" | "id">,
  lastSeq: number,
): Promise<void> {
  await db
    .deleteFrom("event_batches")
    .where((eb) => eb.and({ game_id, session_id: id }))
    .where("seq", "<=", lastSeq)
    .execute();
}

/** The stored events of sessions that ended in a range. */
export async function sumPrunableEvents(
  db: Db,
  range: EndRange,
  after: PrunableSession | null,
  limit: number,
): Promise<{ events: number; bytes: number }> {
  const row = await db
    .selectFrom(selectSessionsWithEvents(db, range, after, limit).as("s"))
    .innerJoin("event_batches as b", (join) =>
      join.onRef("b.game_id", "=", "s.game_id").onRef("b.session_id", "=", "s.id"),
    )
    .select((eb) => [
      eb.fn.sum<number | null>("b.event_count").as("events"),
      sql<number | null>`sum(length(b.payload))`.as("bytes"),
    ])
    .executeTakeFirst();
  return { events: Number(row?.events ?? 0), bytes: Number(row?.bytes ?? 0) };
}

/** The ids of all games, and those of their quarantined sessions. */
export async function listGameIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("games").select("id").where(isReachable(db, "id")).orderBy("id").execute();
  return rows.flatMap(({ id }) => [id, toQuarantined(id)]);
}

/** A session that is to be deleted. */
type ExpiredSession = PrunableSession & Pick<SessionRow, "account_id">;

/** The oldest session of a game that ended before a time, and that no analysis waits for or works on. */
export async function findExpiredSession(
  db: Db,
  gameId: string,
  time: number,
): Promise<ExpiredSession | undefined> {
  return await selectExpired(db, gameId, time)
    .select([...prunableColumns, "account_id"])
    .orderBy("recorded_at")
    .limit(1)
    .executeTakeFirst();
}

export async function countExpiredSessions(db: Db, gameId: string, time: number): Promise<number> {
  return await countRows(selectExpired(db, gameId, time));
}

const selectExpired = (db: Db, gameId: string, time: number) =>
  db
    .selectFrom("sessions")
    .where("game_id", "=", gameId)
    .where(endedBefore(time))
    .where("analysis_due", "is", null)
    .where("analysis_lease", "is", null);
