/** Finds the sessions that a quarantine or a release moves, and says what it changes. */
import { type ExpressionBuilder, sql } from "kysely";
import { toOriginal, toQuarantined } from "../db/quarantined-ids.ts";
import { hasRows } from "../db/rows.ts";
import type { Db, Schema } from "../db/schema.ts";

/** Selects sessions of a game. Absent fields match all sessions. */
export interface QuarantineFilter {
  /** When the service received the session, unix ms, inclusive. Earlier versions only stored when it was recorded. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly addressHash?: string | undefined;
  readonly build?: string | undefined;
  readonly device?: string | undefined;
  /** The quarantine that the sessions are in. */
  readonly quarantineId?: string | undefined;
}

/** Whether sessions are moved into a quarantine, or out of it. */
export type QuarantineMove = "quarantine" | "release";

/** What moves, and what answers then show of it. */
export interface BuildChange {
  readonly build: string;
  /** The sessions that move, and their testers. */
  readonly sessions: number;
  readonly testers: number;
  /** When the first and the last of them was received, unix ms. */
  readonly firstReceived: number;
  readonly lastReceived: number;
  /** The sessions of the build that answers contain afterwards, and their testers. */
  readonly sessionsAfter: number;
  readonly testersAfter: number;
}

const receivedAt = sql<number>`coalesce(received_at, recorded_at)`;

const matches =
  ({ from, to, addressHash, build, device, quarantineId }: QuarantineFilter) =>
  (eb: ExpressionBuilder<Schema, "sessions">) =>
    eb.and([
      ...(from === undefined ? [] : [eb(receivedAt, ">=", from)]),
      ...(to === undefined ? [] : [eb(receivedAt, "<=", to)]),
      ...(addressHash === undefined ? [] : [eb("address_hash", "=", addressHash)]),
      ...(build === undefined ? [] : [eb("build", "=", build)]),
      ...(device === undefined ? [] : [eb("device_id", "=", device)]),
      ...(quarantineId === undefined ? [] : [eb("quarantine_id", "=", quarantineId)]),
    ]);

/** The place of the sessions that a move finds. */
const getSource = (gameId: string, move: QuarantineMove) =>
  move === "quarantine" ? gameId : toQuarantined(gameId);

const countSessions = (eb: ExpressionBuilder<Schema, "sessions">) =>
  [eb.fn.countAll<number>().as("sessions"), eb.fn.count<number>("tester").distinct().as("testers")] as const;

/** What a move changes in each build. */
export async function previewMove(
  db: Db,
  gameId: string,
  move: QuarantineMove,
  filter: QuarantineFilter,
): Promise<BuildChange[]> {
  const source = getSource(gameId, move);
  const moved = await db
    .selectFrom("sessions")
    .select((eb) => ["build", ...countSessions(eb)])
    .select([sql<number>`min(${receivedAt})`.as("first"), sql<number>`max(${receivedAt})`.as("last")])
    .where("game_id", "=", source)
    .where(matches(filter))
    .groupBy("build")
    .orderBy("build")
    .execute();
  if (moved.length === 0) return [];
  const after = await db
    .selectFrom("sessions")
    .select((eb) => ["build", ...countSessions(eb)])
    .where((eb) => {
      const isMoved = eb.and([eb("game_id", "=", source), matches(filter)(eb)]);
      return move === "quarantine"
        ? eb.and([eb("game_id", "=", gameId), sql<boolean>`(${isMoved}) is not true`])
        : eb.or([eb("game_id", "=", gameId), isMoved]);
    })
    .groupBy("build")
    .execute();
  const byBuild = new Map(after.map((row) => [row.build, row]));
  return moved.map(({ build, sessions, testers, first, last }) => ({
    build,
    sessions: Number(sessions),
    testers: Number(testers),
    firstReceived: Number(first),
    lastReceived: Number(last),
    sessionsAfter: Number(byBuild.get(build)?.sessions ?? 0),
    testersAfter: Number(byBuild.get(build)?.testers ?? 0),
  }));
}

/** The ids of sessions that a move finds, in order, at most `limit`. */
export async function findMoved(
  db: Db,
  gameId: string,
  move: QuarantineMove,
  filter: QuarantineFilter,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("sessions")
    .select("id")
    .where("game_id", "=", getSource(gameId, move))
    .where(matches(filter))
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Whether a quarantine has sessions of a game. */
export async function hasQuarantine(db: Db, gameId: string, quarantineId: string): Promise<boolean> {
  const query = db.selectFrom("sessions").select("id").where("game_id", "=", toQuarantined(gameId));
  return await hasRows(query.where("quarantine_id", "=", quarantineId));
}

/** Sessions that are in one quarantine. */
export interface StoredQuarantine {
  readonly id: string;
  readonly gameId: string;
  /** Unix ms. */
  readonly at: number;
  readonly sessions: number;
  readonly testers: number;
  readonly builds: number;
}

/** The quarantines of an account that have sessions, newest first. */
export async function findQuarantines(db: Db, accountId: string): Promise<StoredQuarantine[]> {
  const rows = await db
    .selectFrom("sessions")
    .select((eb) => ["game_id", "quarantine_id as id", "quarantined_at as at", ...countSessions(eb)])
    .select((eb) => eb.fn.count<number>("build").distinct().as("builds"))
    .where("account_id", "=", toQuarantined(accountId))
    .groupBy(["game_id", "quarantine_id", "quarantined_at"])
    .orderBy("quarantined_at", "desc")
    .orderBy("quarantine_id")
    .execute();
  return rows.map(({ id, game_id, at, sessions, testers, builds }) => ({
    id: id ?? "",
    gameId: toOriginal(game_id),
    at: Number(at),
    sessions: Number(sessions),
    testers: Number(testers),
    builds: Number(builds),
  }));
}
