/** Reads and writes arrivals: the log behind the live tail. */
import { sql } from "kysely";
import { TAIL_LIMITS } from "../../contract/telemetry-tail.ts";
import { updateRows } from "../db/rows.ts";
import type { ArrivalRow, Db, SessionRow } from "../db/schema.ts";

/** The fields of an arrival that do not depend on its place in the log. */
export type NewArrival = Omit<ArrivalRow, "account_id" | "id" | "total">;

/** The key of the advisory lock: any number that no other code uses. */
const LOCK_KEY = 0x7a11;

/**
 * Waits until no other server appends arrivals, until the transaction ends. Without it, readers that continue after the
 * highest id would skip lower ids of transactions that are committed later. SQLite has only one writer anyway.
 */
export async function lockArrivals(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(db);
}

/** The newest arrival of an account; undefined if there is none. */
export async function findNewestArrival(
  db: Db,
  accountId: string,
): Promise<Pick<ArrivalRow, "id" | "entries" | "total"> | undefined> {
  const row = await db
    .selectFrom("arrivals")
    .select(["id", "entries", "total"])
    .where("account_id", "=", accountId)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && { id: Number(row.id), entries: row.entries, total: Number(row.total) };
}

/** Appends arrivals of one account. The caller holds the lock. */
export async function appendArrivals(db: Db, accountId: string, added: readonly NewArrival[]): Promise<void> {
  let { id, total } = (await findNewestArrival(db, accountId)) ?? { id: 0, total: 0 };
  const existing = await findExistingSessions(db, added);
  const rows = added.map((arrival) => {
    id += 1;
    total += arrival.entries;
    // A session may have been deleted since. Its events are only counted.
    const isDeleted = arrival.session_id !== null && !existing.has(arrival.session_id);
    const session = isDeleted ? { game_id: null, session_id: null, seq: null } : {};
    return { ...arrival, ...session, account_id: accountId, id, total };
  });
  if (rows.length > 0) await db.insertInto("arrivals").values(rows).execute();
}

async function findExistingSessions(db: Db, arrivals: readonly NewArrival[]): Promise<Set<string>> {
  const ids = new Set(arrivals.flatMap(({ session_id }) => session_id ?? []));
  const games = new Set(arrivals.flatMap(({ session_id, game_id }) => (session_id && game_id) ?? []));
  if (ids.size === 0) return new Set();
  const rows = await db
    .selectFrom("sessions")
    .select("id")
    .where("game_id", "in", [...games])
    .where("id", "in", [...ids])
    .execute();
  return new Set(rows.map((row) => row.id));
}

/** The ids by which refusals are found. */
interface RefusalOwners {
  readonly sessions: readonly string[];
  readonly devices: readonly string[];
}

type StoredRefusal = Readonly<Record<string, unknown>>;

/**
 * Removes what identifies a session or one of the devices from the refusals of an account. The caller holds the lock.
 */
export async function clearRefusals(db: Db, accountId: string, owners: RefusalOwners): Promise<void> {
  for (const { id, found, others } of await splitRefusals(db, accountId, owners)) {
    if (found.length === 0) continue;
    const refusals = others.length === 0 ? null : JSON.stringify(others);
    await updateRows(db, "arrivals", { account_id: accountId, id }, { refusals });
  }
}

/** The refusals of an account that name one of the sessions or devices. */
export async function findRefusals(
  db: Db,
  accountId: string,
  owners: RefusalOwners,
): Promise<StoredRefusal[]> {
  return (await splitRefusals(db, accountId, owners)).flatMap(({ found }) => found);
}

/** The refusals of each arrival: those that name one of the sessions or devices, and the others. */
async function splitRefusals(db: Db, accountId: string, { sessions, devices }: RefusalOwners) {
  const rows = await db
    .selectFrom("arrivals")
    .select(["id", "refusals"])
    .where("account_id", "=", accountId)
    .where("refusals", "is not", null)
    .execute();
  const names = new Set([...sessions, ...devices]);
  const isNamed = ({ sessionId, deviceId }: StoredRefusal) =>
    names.has(String(sessionId)) || names.has(String(deviceId));
  return rows.map(({ id, refusals }) => {
    const entries = JSON.parse(refusals ?? "[]") as StoredRefusal[];
    return { id, found: entries.filter(isNamed), others: entries.filter((entry) => !isNamed(entry)) };
  });
}

/** Deletes arrivals that are too old or too many. The newest of each account remains, because ids continue after it. */
export async function pruneArrivals(db: Db, accountIds: readonly string[], now: number): Promise<void> {
  await db
    .deleteFrom("arrivals")
    .where("at", "<", now - TAIL_LIMITS.ms)
    .where(
      sql<boolean>`id < (select max(newer.id) from arrivals as newer where newer.account_id = arrivals.account_id)`,
    )
    .execute();
  for (const accountId of accountIds) {
    const newest = await findNewestArrival(db, accountId);
    await db
      .deleteFrom("arrivals")
      .where("account_id", "=", accountId)
      .where("id", "<=", (newest?.id ?? 0) - TAIL_LIMITS.requests)
      .execute();
  }
}

/** The arrivals of an account from an id on, oldest first. Arrivals that are too old are left out. */
export async function findArrivals(
  db: Db,
  accountId: string,
  { from, since, limit }: { readonly from: number; readonly since: number; readonly limit: number },
): Promise<ArrivalRow[]> {
  const rows = await db
    .selectFrom("arrivals")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("id", ">=", from)
    .where("at", ">=", since)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...row,
    id: Number(row.id),
    at: Number(row.at),
    total: Number(row.total),
  }));
}

/** How long refusals are counted, hours. */
const MAX_COUNTED_HOURS = 48;

/** Adds to the refusals of an hour (hours since 1970), and deletes those of old hours. */
export async function addRefusalCounts(
  db: Db,
  accountId: string,
  hour: number,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [reason, refusals] of counts)
    await db
      .insertInto("refusal_counts")
      .values({ account_id: accountId, hour, reason, refusals })
      .onConflict((conflict) =>
        conflict.columns(["account_id", "hour", "reason"]).doUpdateSet((eb) => ({
          refusals: eb("refusal_counts.refusals", "+", eb.ref("excluded.refusals")),
        })),
      )
      .execute();
  await db
    .deleteFrom("refusal_counts")
    .where("account_id", "=", accountId)
    .where("hour", "<", hour - MAX_COUNTED_HOURS)
    .execute();
}

/** The refusals of an account by reason, from an hour on. */
export async function findRefusalCounts(
  db: Db,
  accountId: string,
  fromHour: number,
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("refusal_counts")
    .select((eb) => ["reason", eb.fn.sum<number>("refusals").as("refusals")])
    .where("account_id", "=", accountId)
    .where("hour", ">=", fromHour)
    .groupBy("reason")
    .orderBy("reason")
    .execute();
  return new Map(rows.map(({ reason, refusals }) => [reason, Number(refusals)]));
}

/** The columns of a session that the tail shows. */
export type TailSession = Pick<SessionRow, "game_id" | "id" | "device_id" | "environment" | "build">;

/** The session of an arrival; undefined if it does not exist. */
export async function findTailSession(db: Db, gameId: string, id: string): Promise<TailSession | undefined> {
  return await db
    .selectFrom("sessions")
    .select(["game_id", "id", "device_id", "environment", "build"])
    .where((eb) => eb.and({ game_id: gameId, id }))
    .executeTakeFirst();
}
