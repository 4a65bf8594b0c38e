/** Playtest batches: keys given out to testers, the invites they go out with, and their redemption. */

import { createHash, randomBytes } from "node:crypto";
import type { Dependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import type { Db, PlaytestBatchRow, PlaytestKeyRow, TesterInviteRow } from "../db/schema.ts";
import { updateRow } from "../db/update-row.ts";
import { ensureHandle } from "../testers/handles.ts";
import {
  computeKeyStatus,
  findAvailableKey,
  findInvite,
  findPlaytestKey,
  insertInvite,
  insertPlaytestBatch,
  insertPlaytestKey,
} from "./queries.ts";

type PlaytestDependencies = Pick<Dependencies, "now" | "newId">;

export type NewBatch = Omit<PlaytestBatchRow, "game_id" | "id" | "share_token" | "created_at"> & {
  /** Whether the batch gets a token that a page for everybody is shared by. */
  readonly shared: boolean;
};

/** Makes a batch without keys. */
export async function createBatch(
  db: Db,
  making: PlaytestDependencies,
  gameId: string,
  { shared, ...details }: NewBatch,
): Promise<PlaytestBatchRow> {
  const row = {
    game_id: gameId,
    id: making.newId("ptb"),
    ...details,
    share_token: shared ? making.newId("share") : null,
    created_at: making.now(),
  };
  await insertPlaytestBatch(db, row);
  return row;
}

/** A new key in five groups of five letters and digits, without those that are taken for one another. */
export function generatePlaytestKey(): string {
  const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  const drawn = [...randomBytes(25)].map((byte) => letters[byte % letters.length]).join("");
  return (drawn.match(/.{5}/g) ?? []).join("-");
}

/** What is stored of a key: its SHA-256, hex. */
function hashPlaytestKey(key: string): string {
  return createHash("sha256").update(key.trim()).digest("hex");
}

/** Adds keys to a batch, in their order; those that the game has already are left out. Answers the ids of the new ones by key. */
export async function addPlaytestKeys(
  db: Db,
  making: PlaytestDependencies,
  batch: PlaytestBatchRow,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const added = new Map<string, string>();
  for (const key of keys) {
    const fingerprint = hashPlaytestKey(key);
    if (await findPlaytestKey(db, batch.game_id, "fingerprint", fingerprint)) continue;
    const row: PlaytestKeyRow = {
      game_id: batch.game_id,
      id: making.newId("ptk"),
      batch_id: batch.id,
      fingerprint,
      status: "available",
      redeemed_at: null,
      redeemed_by_email: null,
      redeemed_by_handle: null,
      redemption_country: null,
      redemption_user_agent: null,
      redemption_ip: null,
      tester_invite_id: null,
      created_at: making.now(),
    };
    await insertPlaytestKey(db, row);
    added.set(key, row.id);
  }
  return added;
}

/** A batch's key by its id or its own text. Throws `not_found`. */
export async function requirePlaytestKey(
  db: Db,
  batch: PlaytestBatchRow,
  idOrKey: string,
): Promise<PlaytestKeyRow> {
  const row =
    (await findPlaytestKey(db, batch.game_id, "id", idOrKey)) ??
    (await findPlaytestKey(db, batch.game_id, "fingerprint", hashPlaytestKey(idOrKey)));
  if (row?.batch_id === batch.id) return row;
  throw new ServiceError("not_found", {
    message: "The batch has no such key",
    hint: `See \`playtest batches keys ${batch.id}\`.`,
  });
}

/** Revokes a key, redeemed or not; what was noted of its redemption stays. */
export async function revokePlaytestKey(db: Db, key: PlaytestKeyRow): Promise<PlaytestKeyRow> {
  await updateRow(db, "playtest_keys", key, { status: "revoked" });
  return { ...key, status: "revoked" };
}

/** Who redeems a key, as far as it is known. */
export interface Redeemer {
  readonly email: string | null;
  /** A handle of the game; made where there is none. */
  readonly handle: string | null;
  readonly country: string | null;
  readonly userAgent: string | null;
  readonly ip: string | null;
}

/** Redeems a key that is available or reserved, its invite with it. Throws `conflict` for any other. */
export async function redeemPlaytestKey(
  db: Db,
  making: PlaytestDependencies,
  batch: PlaytestBatchRow,
  key: PlaytestKeyRow,
  by: Redeemer,
): Promise<PlaytestKeyRow> {
  const now = making.now();
  const status = computeKeyStatus(key.status, batch.expires_at, now);
  if (status !== "available" && status !== "reserved") throw conflictError(`The key ${key.id} is ${status}`);
  const invite = key.tester_invite_id ? await findInvite(db, batch, "id", key.tester_invite_id) : undefined;
  if (invite) await updateRow(db, "tester_invites", invite, { redeemed_at: now });
  if (by.handle !== null) await ensureHandle(db, making, batch.game_id, by.handle, key.id);
  const changed = {
    status: "redeemed" as const,
    redeemed_at: now,
    redeemed_by_email: by.email ?? invite?.email ?? null,
    redeemed_by_handle: by.handle,
    redemption_country: by.country,
    redemption_user_agent: by.userAgent,
    redemption_ip: by.ip,
  };
  await updateRow(db, "playtest_keys", key, changed);
  return { ...key, ...changed };
}

/** An invite with the key reserved for it, and the tester's own token in the only moment it is known. */
export interface NewInvite {
  readonly invite: TesterInviteRow;
  readonly keyId: string;
  readonly token: string;
}

/** Invites a tester and reserves the batch's next key. Throws `conflict` where there is none, or the tester is invited already. */
export async function inviteTester(
  db: Db,
  making: PlaytestDependencies,
  batch: PlaytestBatchRow,
  email: string,
  note: string | null,
): Promise<NewInvite> {
  const now = making.now();
  if (await findInvite(db, batch, "email", email))
    throw conflictError(`${email} is invited to this batch already`);
  if (batch.expires_at !== null && batch.expires_at <= now)
    throw conflictError(`The batch ${batch.id} has expired`);
  const key = await findAvailableKey(db, batch);
  if (!key) throw conflictError(`The batch ${batch.id} has no key left`);
  const token = randomBytes(20).toString("hex");
  const invite = {
    game_id: batch.game_id,
    id: making.newId("tvi"),
    batch_id: batch.id,
    email,
    personal_note: note,
    token_hash: createHash("sha256").update(token).digest("hex"),
    sent_at: now,
    opened_at: null,
    redeemed_at: null,
  };
  await insertInvite(db, invite);
  await updateRow(db, "playtest_keys", key, { status: "reserved", tester_invite_id: invite.id });
  return { invite, keyId: key.id, token };
}

/** Notes that an invite was opened; the first time stays. */
export async function openInvite(db: Db, invite: TesterInviteRow, now: number): Promise<TesterInviteRow> {
  const opened_at = invite.opened_at ?? now;
  await updateRow(db, "tester_invites", invite, { opened_at });
  return { ...invite, opened_at };
}

function conflictError(message: string): Error {
  return new ServiceError("conflict", {
    message,
    hint: "See `playtest batches keys` and `playtest batches invites`.",
  });
}
