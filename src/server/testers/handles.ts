/** Tester handles: created by the studio and claimed from the devices of the testers. */

import { randomBytes } from "node:crypto";
import { HttpError } from "../../contract/errors.ts";
import type { ClaimReason } from "../../contract/tester-links.ts";
import { hashKey } from "../accounts/keys.ts";
import type { Dependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import { unknownName } from "../core/http-errors.ts";
import { emptyColumns, insertNew, updateRow } from "../db/rows.ts";
import type { Db, TesterHandleRow } from "../db/schema.ts";
import { findHandle } from "../ids/tester-queries.ts";
import { linkDevice } from "./handle-queries.ts";

/**
 * Returns the game's handle with a name, or creates it. A playtest key is stored if the handle has none yet. Throws
 * `invalid` for a name that cannot be a handle.
 */
export async function ensureHandle(
  db: Db,
  deps: Pick<Dependencies, "now" | "newId">,
  gameId: string,
  handle: string,
  keyId: string | null = null,
): Promise<TesterHandleRow> {
  if (handle === "." || handle === ".." || handle.length === 0 || handle.length > 120) {
    throw new ServiceError("invalid", {
      message: `Invalid tester handle ${JSON.stringify(handle)}`,
      hint: "Use 1 to 120 characters. The names . and .. are not allowed.",
    });
  }
  const existing = await findHandle(db, gameId, "handle", handle);
  if (existing) {
    if (existing.key_id !== null || keyId === null) return existing;
    await updateRow(db, "tester_handles", existing, { key_id: keyId });
    return { ...existing, key_id: keyId };
  }
  const row = {
    ...emptyColumns("tester_handles"),
    game_id: gameId,
    id: deps.newId("pth"),
    handle,
    key_id: keyId,
    created_at: deps.now(),
  };
  await insertNew(db, "tester_handles", row, ["game_id", "handle"]);
  // Another server may have created it at the same moment.
  return (await findHandle(db, gameId, "handle", handle)) ?? row;
}

/**
 * Issues a new claim token for a handle and returns it. It is not stored in plain text. The previous one stops working.
 */
export async function issueClaimToken(db: Db, handle: TesterHandleRow): Promise<string> {
  const token = `pt_tt_${randomBytes(20).toString("hex")}`;
  await updateRow(db, "tester_handles", handle, { claim_token_hash: hashKey(token) });
  return token;
}

interface HandleClaim {
  readonly alreadyLinked: boolean;
  readonly handle: string;
  readonly claimedAt: number;
}

/**
 * Links a device to the handle of a claim token. Throws `not_found` for a token that does not belong to the game,
 * `conflict` if the handle is linked to another device, or the device to another handle.
 */
export async function claimHandle(
  db: Db,
  now: number,
  gameId: string,
  token: string,
  deviceId: string,
): Promise<HandleClaim> {
  const before = await findClaimedHandle(db, gameId, token, deviceId);
  if (!before.linked && (await linkDevice(db, before.row, deviceId, now))) {
    return { alreadyLinked: false, handle: before.row.handle, claimedAt: now };
  }
  // The conditional write failed, so another claim was faster. Read the handle again to see which one.
  const { row, linked } = before.linked ? before : await findClaimedHandle(db, gameId, token, deviceId);
  if (!linked) throw conflictError("This device is already linked to another tester", "device_linked");
  return { alreadyLinked: true, handle: row.handle, claimedAt: row.claimed_at ?? now };
}

/** Unlinks a device from the handle of a claim token. Does nothing if it is not linked. Throws like `claimHandle`. */
export async function releaseHandle(
  db: Db,
  gameId: string,
  token: string,
  deviceId: string,
): Promise<{ handle: string; unlinked: boolean }> {
  const { row, linked } = await findClaimedHandle(db, gameId, token, deviceId);
  if (linked) await updateRow(db, "tester_handles", row, { device_id: null, claimed_at: null });
  return { handle: row.handle, unlinked: linked };
}

async function findClaimedHandle(db: Db, gameId: string, token: string, deviceId: string) {
  const row = await findHandle(db, gameId, "claim_token_hash", hashKey(token));
  if (!row) throw unknownName("unknown_claim_token", null);
  if (row.device_id !== null && row.device_id !== deviceId) throw claimedElsewhereError();
  return { row, linked: row.device_id === deviceId };
}

const claimedElsewhereError = () =>
  conflictError("This tester is already linked to another device", "already_linked_to_another_device");

function conflictError(message: string, reason: ClaimReason): Error {
  return new HttpError("conflict", { message, extra: { reason, message } });
}
