/**
 * The analysis queues, stored in columns of the sessions. A session is due once its data is complete. A finished analysis is
 * repeated if that was requested, or if it is outdated: if older rules have found its insights.
 */
import { type ExpressionBuilder, type SelectQueryBuilder, sql } from "kysely";
import { prepareQuery } from "../db/prepared.ts";
import { countUpToLimit } from "../db/rows.ts";
import type { Db, Schema, SessionRow } from "../db/schema.ts";
import { isReachable, isSharded } from "../db/sharding.ts";
import type { Store } from "../db/store.ts";
import { SESSION_IDLE_TIMEOUT_MS } from "../sessions/durations.ts";
import { ANALYSIS_VERSION } from "./version.ts";

type SessionQuery<O> = SelectQueryBuilder<Schema, "sessions", O>;

/** Time until a lease expires unless it is renewed, in ms. */
export const LEASE_MS = 15_000;
/** A lease that ends later than this, in ms from now, was taken before the clock was set back. Allows for clocks that differ between servers. */
const MAX_LEASE_MS = 4 * LEASE_MS;
/** The longest wait for an analysis, in ms: twice the idle timeout of sessions. A later time was set before the clock was set back. */
const MAX_DUE_MS = 2 * SESSION_IDLE_TIMEOUT_MS;

const isUnleased =
  (now: number, latest = now + MAX_LEASE_MS) =>
  (eb: ExpressionBuilder<Schema, "sessions">) =>
    eb.or([
      eb("analysis_lease", "is", null),
      eb("analysis_lease", "<=", now),
      eb("analysis_lease", ">", latest),
    ]);

/**
 * Whether a time is unset. In almost all sessions it is, so a search must not begin with an index of that column, as it
 * would with a simple comparison with null.
 */
const isUnset = (column: "analysis_due" | "reanalysis_due") =>
  sql<boolean>`coalesce(${sql.ref(column)}, 0) = 0`;

interface Queue {
  /** Selects the queued sessions, and those that only wait to be quiet until then. */
  select<O>(query: SessionQuery<O>, now: number, quietUntil: number): SessionQuery<O>;
  /** Sorts them, the next one first. */
  sort<O>(query: SessionQuery<O>): SessionQuery<O>;
}

/** The queues, in the order in which they are processed. */
const queues = {
  due: {
    select: (query, now, quietUntil) =>
      query.where("analysis_due", "<=", quietUntil).where((eb) =>
        eb.or([
          eb("analysis_due", "<=", now),
          // Neither idle nor waiting for another attempt.
          eb.and([eb("ended", "=", 1), eb("analysis_attempts", "=", 0)]),
        ]),
      ),
    sort: (query) => query.orderBy("analysis_due"),
  },
  enrichment: {
    select: (query, _now, quietUntil) =>
      query.where("enrichment_due", "<=", quietUntil).where(isUnset("analysis_due")),
    sort: (query) => query.orderBy("enrichment_due"),
  },
  requested: {
    // With new data, a session becomes due, which also replaces its results.
    select: (query, now) =>
      query
        .where("reanalysis_due", "<=", now)
        .where(isUnset("analysis_due"))
        .where(sql<boolean>`coalesce(analysis_version, 0) > 0`),
    sort: (query) => query.orderBy("reanalysis_due"),
  },
  outdated: {
    select: (query) =>
      query
        .where("analysis_version", "<", ANALYSIS_VERSION)
        .where("events_pruned_at", "is", null)
        .where(isUnset("analysis_due"))
        .where(isUnset("reanalysis_due")),
    // The newest sessions are most likely to be looked at.
    sort: (query) => query.orderBy("analysis_version", "desc").orderBy("recorded_at", "desc"),
  },
} as const satisfies Record<string, Queue>;
export type QueueName = keyof typeof queues;

/** Maximum number of sessions to try if the first is locked, because other servers may be claiming some at the same moment. */
const MAX_CANDIDATES = 32;

/** The times that a search of a queue compares with, unix ms. */
interface QueueTimes {
  readonly now: number;
  readonly quietUntil: number;
  /** No lease ends later. */
  readonly latest: number;
}

type SessionKey = Pick<SessionRow, "game_id" | "id">;

const createSearches = (queue: Queue) => {
  const find = (db: Db, { now, quietUntil, latest, limit }: QueueTimes & { readonly limit: number }) =>
    queue
      .sort(
        queue.select(
          db
            .selectFrom("sessions")
            .select(["game_id", "id"])
            .where(isReachable(db))
            .where(isUnleased(now, latest)),
          now,
          quietUntil,
        ),
      )
      .orderBy("id")
      .limit(limit);
  const lock = (db: Db, { now, quietUntil, latest, game_id, id }: QueueTimes & SessionKey) =>
    queue
      .select(db.selectFrom("sessions").selectAll(), now, quietUntil)
      .where((eb) => eb.and({ game_id, id }))
      .where(isUnleased(now, latest))
      .forUpdate()
      .skipLocked();
  return { find, findPrepared: prepareQuery(find), lock: prepareQuery(lock) };
};

const searches = {
  due: createSearches(queues.due),
  enrichment: createSearches(queues.enrichment),
  requested: createSearches(queues.requested),
  outdated: createSearches(queues.outdated),
} as const;

/**
 * Locks the next session of a queue that has no lease, until the transaction ends. Returns undefined if there is none.
 * Sessions are found without locks and then locked by key, so that sessions locked by another server are skipped. Takes also
 * those that only wait to be quiet until `quietUntil`.
 */
export async function lockNext(
  db: Db,
  name: QueueName,
  now: number,
  quietUntil: number,
): Promise<SessionRow | undefined> {
  const { find, findPrepared, lock } = searches[name];
  const times = { now, quietUntil, latest: now + MAX_LEASE_MS };
  for (const limit of [1, MAX_CANDIDATES]) {
    const query = { ...times, limit };
    // Which nodes of a cluster respond changes.
    const candidates = isSharded(db) ? await find(db, query).execute() : (await findPrepared(db, query)).rows;
    for (const { game_id, id } of candidates) {
      const [row] = (await lock(db, { ...times, game_id, id })).rows;
      if (row) return row;
    }
    if (candidates.length < limit) return undefined;
  }
  return undefined;
}

/** When the next session is due or its lease expires, in unix ms; null if none is queued. */
export async function nextDueTime(db: Db, now: number): Promise<number | null> {
  const unleased = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.min<number | null>("analysis_due").as("at"))
    .where("analysis_due", "is not", null)
    .where(isReachable(db))
    .where(isUnleased(now))
    .executeTakeFirst();
  const leased = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.min<number | null>("analysis_lease").as("at"))
    .where("analysis_due", "<=", now)
    .where("analysis_lease", ">", now)
    .where("analysis_lease", "<=", now + MAX_LEASE_MS)
    .where(isReachable(db))
    .executeTakeFirst();
  const times = [unleased?.at, leased?.at].flatMap((at) => at ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * Requests that the analysis of sessions is repeated. Every request changes the stored time, so that an analysis that
 * started before the request does not count as its answer.
 */
export async function requestReanalysis(
  db: Db,
  gameId: string,
  sessionIds: readonly string[],
  now: number,
): Promise<void> {
  if (sessionIds.length === 0) return;
  await db
    .updateTable("sessions")
    .set({
      reanalysis_due: sql<number>`case when reanalysis_due <= ${now} then reanalysis_due - 1 else ${now} end`,
    })
    .where("game_id", "=", gameId)
    .where("id", "in", [...sessionIds].sort())
    // Without its events, a session keeps its results.
    .where("events_pruned_at", "is", null)
    // A session that could not be analyzed has nothing to repeat.
    .where((eb) => eb.or([eb("analysis_version", "is not", null), eb("analysis_due", "is not", null)]))
    .execute();
}

/** Lets the sessions of an account wait until the model may be asked again. */
export async function postponeEnrichments(db: Db, accountId: string, until: number): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ enrichment_due: until })
    .where("account_id", "=", accountId)
    .where("enrichment_due", "<", until)
    .where(isReachable(db))
    .execute();
}

/** The number of sessions whose analysis is to be repeated, at most `limit`. */
export async function countReanalyses(db: Db, limit: number): Promise<number> {
  const sessions = db.selectFrom("sessions").select("id").where(isReachable(db)).limit(limit);
  const requested = sessions.where("reanalysis_due", ">", 0);
  const outdated = sessions
    .where("analysis_version", "<", ANALYSIS_VERSION)
    .where("events_pruned_at", "is", null)
    .where(isUnset("reanalysis_due"));
  const total = (await countUpToLimit(db, requested)) + (await countUpToLimit(db, outdated));
  return Math.min(limit, total);
}

/**
 * Shortens waits that are longer than any wait that starts now, because the clock was set back since they started. A
 * session that is still played becomes due after another idle timeout.
 */
export async function shortenLongWaits(store: Store, now: number): Promise<void> {
  const dueTimes = {
    ...{ analysis_due: now + SESSION_IDLE_TIMEOUT_MS, reanalysis_due: now, enrichment_due: now },
  } as const;
  for (const column of ["analysis_due", "reanalysis_due", "enrichment_due"] as const) {
    const isLate = (eb: ExpressionBuilder<Schema, "sessions">) => eb(column, ">", now + MAX_DUE_MS);
    const query = store.readDb
      .selectFrom("sessions")
      .select("id")
      .where(isLate)
      .where(isReachable(store.readDb))
      .limit(1);
    if (!(await query.executeTakeFirst())) continue;
    await store.write((db) =>
      db
        .updateTable("sessions")
        .set({ [column]: dueTimes[column] })
        .where(isLate)
        .where(isReachable(db))
        .execute(),
    );
  }
}

/** Extends a lease. Returns false if the session no longer has that lease. */
export async function renewLease(
  db: Db,
  { game_id, id, analysis_lease }: Pick<SessionRow, "game_id" | "id" | "analysis_lease">,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("sessions")
    .set({ analysis_lease: until })
    .where((eb) => eb.and({ game_id, id }))
    .where("analysis_lease", "=", analysis_lease)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Releases the leases of sessions whose stored data has moved, so that what their analyses have read is not stored. */
export async function releaseLeases(db: Db, gameId: string, sessionIds: readonly string[]): Promise<void> {
  if (sessionIds.length === 0) return;
  await db
    .updateTable("sessions")
    .set({
      analysis_lease: null,
      // The released attempt has not failed.
      analysis_attempts: sql<number>`case when analysis_attempts > 0 then analysis_attempts - 1 else 0 end`,
    })
    .where("game_id", "=", gameId)
    .where("id", "in", [...sessionIds].sort())
    .where("analysis_lease", "is not", null)
    .execute();
}

/** Releases every lease. For SQLite at startup: the only process that could have held them has most likely died. */
export async function releaseAllLeases(db: Db): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ analysis_lease: null })
    .where("analysis_lease", "is not", null)
    .execute();
}
