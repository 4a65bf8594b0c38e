/** Reads and writes playtest batches, their keys and their invites. */
import type {
  Batch,
  BatchDetail,
  PlaytestKey,
  PlaytestKeyStatus,
  TesterInvite,
} from "../../contract/batches.ts";
import { findRow } from "../db/rows.ts";
import type { Db, PlaytestBatchRow, PlaytestKeyRow, TesterInviteRow } from "../db/schema.ts";

/** The number of keys of a batch by status. */
interface PlaytestKeyCounts {
  readonly keys: number;
  readonly redeemed: number;
  readonly revoked: number;
}

const NO_KEYS: PlaytestKeyCounts = { keys: 0, redeemed: 0, revoked: 0 };

/** Returns the batches of a game, newest first. */
export async function findBatches(db: Db, gameId: string): Promise<Batch[]> {
  const rows = await db
    .selectFrom("playtest_batches")
    .selectAll()
    .where("game_id", "=", gameId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  const counts = await countPlaytestKeys(db, gameId);
  return rows.map((row) => toBatch(row, counts.get(row.id) ?? NO_KEYS));
}

export async function readBatchDetail(db: Db, row: PlaytestBatchRow): Promise<BatchDetail> {
  const counts = await countPlaytestKeys(db, row.game_id, row.id);
  return { ...toBatch(row, counts.get(row.id) ?? NO_KEYS), instructions: row.instructions };
}

/** Counts the keys of each batch of a game, or of one batch. */
async function countPlaytestKeys(
  db: Db,
  gameId: string,
  batchId?: string,
): Promise<Map<string, PlaytestKeyCounts>> {
  const rows = await db
    .selectFrom("playtest_keys")
    .select((eb) => ["batch_id", "status", eb.fn.countAll<number>().as("keys")])
    .where("game_id", "=", gameId)
    .$if(batchId !== undefined, (query) => query.where("batch_id", "=", batchId ?? ""))
    .groupBy(["batch_id", "status"])
    .execute();
  const byBatch = new Map<string, PlaytestKeyCounts>();
  for (const { batch_id, status, keys } of rows) {
    const counts = byBatch.get(batch_id) ?? NO_KEYS;
    const added = Number(keys);
    byBatch.set(batch_id, {
      keys: counts.keys + added,
      redeemed: counts.redeemed + (status === "redeemed" ? added : 0),
      revoked: counts.revoked + (status === "revoked" ? added : 0),
    });
  }
  return byBatch;
}

function toBatch(row: PlaytestBatchRow, counts: PlaytestKeyCounts): Batch {
  return {
    id: row.id,
    name: row.name,
    distribution_target: row.distribution_target,
    fulfillment_source: row.fulfillment_source,
    redemption_mode: row.redemption_mode,
    identity_mode: row.identity_mode,
    share_token: row.share_token,
    key_count: counts.keys,
    redeemed_count: counts.redeemed,
    revoked_count: counts.revoked,
    expires_at: row.expires_at,
    created_at: row.created_at,
  };
}

export async function findBatch(db: Db, gameId: string, id: string): Promise<PlaytestBatchRow | undefined> {
  return await findRow(db, "playtest_batches", { game_id: gameId, id });
}

/** Returns the keys of a batch, oldest first. */
export async function findPlaytestKeys(db: Db, batch: PlaytestBatchRow, now: number): Promise<PlaytestKey[]> {
  const rows = await db
    .selectFrom("playtest_keys")
    .selectAll()
    .where((eb) => eb.and({ game_id: batch.game_id, batch_id: batch.id }))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => toPlaytestKey(row, batch, now));
}

/** Converts a key to its form in the API, without its fingerprint and the IP address of the redemption. */
export function toPlaytestKey(
  row: PlaytestKeyRow,
  batch: Pick<PlaytestBatchRow, "expires_at">,
  now: number,
): PlaytestKey {
  return {
    id: row.id,
    status: computeKeyStatus(row.status, batch.expires_at, now),
    redeemed_at: row.redeemed_at,
    redeemed_by_email: row.redeemed_by_email,
    redeemed_by_handle: row.redeemed_by_handle,
    redemption_country: row.redemption_country,
    redemption_user_agent: row.redemption_user_agent,
    tester_invite_id: row.tester_invite_id,
    created_at: row.created_at,
  };
}

/** Returns the status of a key at a time, unix ms. Unredeemed keys expire at the expiry time of their batch. */
export function computeKeyStatus(
  status: PlaytestKeyRow["status"],
  expiresAt: number | null,
  now: number,
): PlaytestKeyStatus {
  const open = status === "available" || status === "reserved";
  return open && expiresAt !== null && expiresAt <= now ? "expired" : status;
}

export async function findPlaytestKey(
  db: Db,
  gameId: string,
  column: "id" | "fingerprint" | "tester_invite_id",
  value: string,
): Promise<PlaytestKeyRow | undefined> {
  return await db
    .selectFrom("playtest_keys")
    .selectAll()
    .where("game_id", "=", gameId)
    .where(column, "=", value)
    .executeTakeFirst();
}

/** Finds the oldest available key of a batch. */
export async function findAvailableKey(db: Db, batch: Pick<PlaytestBatchRow, "game_id" | "id">) {
  return await db
    .selectFrom("playtest_keys")
    .selectAll()
    .where((eb) => eb.and({ game_id: batch.game_id, batch_id: batch.id, status: "available" }))
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

/** Returns the invites of a batch, most recently sent first, and invites that were never sent last. */
export async function findInvites(db: Db, batch: PlaytestBatchRow): Promise<TesterInvite[]> {
  const rows = await db
    .selectFrom("tester_invites")
    .selectAll()
    .where((eb) => eb.and({ game_id: batch.game_id, batch_id: batch.id }))
    .execute();
  return rows
    .sort((a, b) => (b.sent_at ?? -1) - (a.sent_at ?? -1) || (a.id < b.id ? -1 : 1))
    .map(toTesterInvite);
}

/** An invite as the API gives it: never its token. */
export function toTesterInvite(row: TesterInviteRow): TesterInvite {
  const { id, email, personal_note, sent_at, opened_at, redeemed_at } = row;
  return { id, email, personal_note, sent_at, opened_at, redeemed_at };
}

export async function findInvite(
  db: Db,
  batch: Pick<PlaytestBatchRow, "game_id" | "id">,
  column: "id" | "email",
  value: string,
): Promise<TesterInviteRow | undefined> {
  return await db
    .selectFrom("tester_invites")
    .selectAll()
    .where((eb) => eb.and({ game_id: batch.game_id, batch_id: batch.id }))
    .where(column, "=", value)
    .executeTakeFirst();
}
