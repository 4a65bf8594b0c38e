/** Playtest batches: creating batches, keys and invites, and redeeming and revoking keys. */

import { createHash, randomBytes } from "node:crypto";
import type { Dependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import { emptyColumns, insertRow, updateRow } from "../db/rows.ts";
import type { Db, PlaytestBatchRow, PlaytestKeyRow, TesterInviteRow } from "../db/schema.ts";
import { ensureHandle } from "../testers/handles.ts";
import { computeKeyStatus, findAvailableKey, findInvite, findPlaytestKey } from "./playtest-queries.ts";

type PlaytestDependencies = Pick<Dependencies, "now" | "newId">;

export type NewBatch = Omit<PlaytestBatchRow, "game_id" | "id" | "share_token" | "created_at"> & {
  /** Whether to create a token for the public page of the batch. */
  readonly shared: boolean;
};

/** Creates a batch without keys. */
export async function createBatch(
  db: Db,
  deps: PlaytestDependencies,
  gameId: string,
  { shared, ...details }: NewBatch,
): Promise<PlaytestBatchRow> {
  const row = {
    game_id: gameId,
    id: deps.newId("ptb"),
    ...details,
    share_token: shared ? deps.newId("share") : null,
    created_at: deps.now(),
  };
  await insertRow(db, "playtest_batches", row);
  return row;
}

/** Generates a key of five groups with five characters each. The alphabet omits I, O, 0 and 1, which look alike. */
export function generatePlaytestKey(): string {
  const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  const characters = [...randomBytes(25)].map((byte) => alphabet[byte % alphabet.length]).join("");
  return (characters.match(/.{5}/g) ?? []).join("-");
}

/** Returns the stored form of a key: its SHA-256 in hexadecimal. */
function hashPlaytestKey(key: string): string {
  return createHash("sha256").update(key.trim()).digest("hex");
}

/** Adds keys to a batch, except for keys that the game already has. Returns the ids of the new keys by their text. */
export async function addPlaytestKeys(
  db: Db,
  deps: PlaytestDependencies,
  batch: PlaytestBatchRow,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const added = new Map<string, string>();
  for (const key of keys) {
    const fingerprint = hashPlaytestKey(key);
    if (await findPlaytestKey(db, batch.game_id, "fingerprint", fingerprint)) continue;
    const row: PlaytestKeyRow = {
      ...emptyColumns("playtest_keys"),
      game_id: batch.game_id,
      id: deps.newId("ptk"),
      batch_id: batch.id,
      fingerprint,
      status: "available",
      created_at: deps.now(),
    };
    await insertRow(db, "playtest_keys", row);
    added.set(key, row.id);
  }
  return added;
}

/** Finds a key of a batch by its id or its text. Throws `not_found`. */
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
    // If the argument is not an id, it is the text of a key, which is a secret that the message must not repeat.
    message: `Key ${/^ptk_/.test(idOrKey) ? `${JSON.stringify(idOrKey)} ` : ""}not found in batch ${batch.id}`,
    hint: `Run \`playtest batches keys ${batch.id}\` to see its keys.`,
  });
}

/** Revokes a key, whether redeemed or not. The data of its redemption is kept. */
export async function revokePlaytestKey(db: Db, key: PlaytestKeyRow): Promise<PlaytestKeyRow> {
  await updateRow(db, "playtest_keys", key, { status: "revoked" });
  return { ...key, status: "revoked" };
}

/** Known data about the person who redeems a key. */
interface Redeemer {
  readonly email: string | null;
  /** A tester handle, which is created if necessary. */
  readonly handle: string | null;
  readonly country: string | null;
  readonly userAgent: string | null;
  readonly ip: string | null;
}

/** Why a key cannot be redeemed, by its status. Completes a sentence that starts with the key. */
const unredeemable = {
  redeemed: "was already redeemed",
  revoked: "was revoked",
  expired: "has expired",
} as const;

/** Redeems a key and its invite. Throws `conflict` unless the key is available or reserved. */
export async function redeemPlaytestKey(
  db: Db,
  deps: PlaytestDependencies,
  batch: PlaytestBatchRow,
  key: PlaytestKeyRow,
  by: Redeemer,
): Promise<PlaytestKeyRow> {
  const now = deps.now();
  const status = computeKeyStatus(key.status, batch.expires_at, now);
  if (status !== "available" && status !== "reserved") {
    throw conflictError(
      `Key ${key.id} ${unredeemable[status]}`,
      status === "expired" ? CREATE_BATCH_HINT : `Run \`playtest batches keys ${batch.id}\` to see its keys.`,
    );
  }
  const invite = key.tester_invite_id ? await findInvite(db, batch, "id", key.tester_invite_id) : undefined;
  if (invite) await updateRow(db, "tester_invites", invite, { redeemed_at: now });
  if (by.handle !== null) await ensureHandle(db, deps, batch.game_id, by.handle, key.id);
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

/** An invite with its reserved key and its token. Only the hash of the token is stored, so it cannot be shown again. */
interface NewInvite {
  readonly invite: TesterInviteRow;
  readonly keyId: string;
  readonly token: string;
}

/** Invites a tester and reserves a key. Throws `conflict` if no key is available or the tester is already invited. */
export async function inviteTester(
  db: Db,
  deps: PlaytestDependencies,
  batch: PlaytestBatchRow,
  email: string,
  note: string | null,
): Promise<NewInvite> {
  const now = deps.now();
  const existing = await findInvite(db, batch, "email", email);
  if (existing) {
    throw conflictError(
      `${email} was already invited to batch ${batch.id} (invite ${existing.id})`,
      `Run \`playtest batches invites ${batch.id}\` to see its invites.`,
    );
  }
  if (batch.expires_at !== null && batch.expires_at <= now)
    throw conflictError(`Batch ${batch.id} has expired`, CREATE_BATCH_HINT);
  const key = await findAvailableKey(db, batch);
  if (!key) {
    const hint = `Run \`playtest admin batches add-keys ${batch.id}\` to add keys.`;
    throw conflictError(`Batch ${batch.id} has no available keys`, hint);
  }
  const token = randomBytes(20).toString("hex");
  const invite = {
    ...emptyColumns("tester_invites"),
    game_id: batch.game_id,
    id: deps.newId("tvi"),
    batch_id: batch.id,
    email,
    personal_note: note,
    token_hash: createHash("sha256").update(token).digest("hex"),
    sent_at: now,
  };
  await insertRow(db, "tester_invites", invite);
  await updateRow(db, "playtest_keys", key, { status: "reserved", tester_invite_id: invite.id });
  return { invite, keyId: key.id, token };
}

/** Records when an invite was first opened. */
export async function openInvite(db: Db, invite: TesterInviteRow, now: number): Promise<TesterInviteRow> {
  const opened_at = invite.opened_at ?? now;
  await updateRow(db, "tester_invites", invite, { opened_at });
  return { ...invite, opened_at };
}

const CREATE_BATCH_HINT = "Run `playtest admin batches create <name>` to create a new batch.";

function conflictError(message: string, hint: string): Error {
  return new ServiceError("conflict", { message, hint });
}
