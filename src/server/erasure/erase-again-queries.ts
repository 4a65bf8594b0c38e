/** Reads what tombstones may name, and merges the tombstones of another archive of the same database. */

import { hasRows, untyped } from "../db/rows.ts";
import type { Db, GameRow, SecretRow, TombstoneRow } from "../db/schema.ts";
import { storeTombstone } from "../sessions/tombstone-queries.ts";
import type { TesterNameKind } from "./tester-queries.ts";

/** The secret with which tombstones are hashed (`db/keyed-hash.ts`). */
const HASH_SECRET = "keyed-hash";

/** What was erased, as archives contain it. */
export interface Erasures {
  readonly secrets: readonly SecretRow[];
  readonly tombstones: readonly TombstoneRow[];
}

export async function hasTombstones(db: Db): Promise<boolean> {
  return await hasRows(db.selectFrom("tombstones").select("kind"));
}

/** What was erased from a database, which may have an older schema; null if that schema has no tombstones. */
export async function findErasures(db: Db): Promise<Erasures | null> {
  const tables = (await db.introspection.getTables()).map(({ name }) => name);
  if (!tables.includes("tombstones")) return null;
  return {
    secrets: await db.selectFrom("secrets").selectAll().execute(),
    tombstones: await db.selectFrom("tombstones").selectAll().execute(),
  };
}

/** Adds the tombstones of another archive. Returns false if their hashes cannot be compared with those of the database. */
export async function mergeErasures(db: Db, { secrets, tombstones }: Erasures): Promise<boolean> {
  if (tombstones.length === 0) return true;
  const needed = secrets.filter(({ name }) => name === HASH_SECRET);
  const own = new Map(
    (await db.selectFrom("secrets").selectAll().execute()).map((row) => [row.name, row.value]),
  );
  if (needed.some(({ name, value }) => own.has(name) && own.get(name) !== value)) return false;
  const missing = needed.filter(({ name }) => !own.has(name));
  if (missing.length > 0) await db.insertInto("secrets").values(missing).execute();
  for (const row of tombstones) await storeTombstone(db, row);
  return true;
}

export async function findAllGames(db: Db): Promise<GameRow[]> {
  return await db.selectFrom("games").selectAll().orderBy("id").execute();
}

/** What identifies a session and its tester. */
export type SessionIdentity = Awaited<ReturnType<typeof findSessionIdentities>>[number];

export async function findSessionIdentities(db: Db, gameId: string) {
  return await db
    .selectFrom("sessions")
    .select(["game_id", "id", "client_session_id", "creation_hash", "device_id", "tester_handle"])
    .select(["recorded_at", "received_at"])
    .where("game_id", "=", gameId)
    .orderBy("id")
    .execute();
}

/** A name of a tester in a row of its own, with the time of the row, unix ms. */
interface NamedRow {
  readonly kind: TesterNameKind;
  readonly value: string;
  readonly at: number;
}

/** The columns with names of testers outside sessions, with the column of their time. */
const nameColumns = [
  ["tester_handles", "handle", "created_at", "handle"],
  ["tester_handles", "device_id", "claimed_at", "device"],
  ["tester_summaries", "device_id", "generated_at", "device"],
  ["bug_reports", "player_id", "created_at", "device"],
  ["bug_reports", "player_id", "created_at", "handle"],
  ["playtest_keys", "redeemed_by_handle", "redeemed_at", "handle"],
  ["playtest_keys", "redeemed_by_email", "redeemed_at", "email"],
  ["tester_invites", "email", "sent_at", "email"],
] as const;

/** The names of testers in the rows of a game that belong to no session. */
export async function findNamedRows(db: Db, gameId: string): Promise<NamedRow[]> {
  const found: NamedRow[] = [];
  for (const [table, column, time, kind] of nameColumns) {
    const rows = await untyped<string | number | null>(db)
      .selectFrom(table)
      .select([column, time])
      .where("game_id", "=", gameId)
      .where(column, "is not", null)
      .execute();
    for (const row of rows) found.push({ kind, value: String(row[column]), at: Number(row[time] ?? 0) });
  }
  return found;
}
