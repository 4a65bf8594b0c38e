/** Tester handles: made by the studio, claimed by the devices their testers play on. */

import { randomBytes } from "node:crypto";
import { HttpError } from "../../contract/errors.ts";
import type { ClaimReason } from "../../contract/tester-links.ts";
import { hashKey } from "../accounts/keys.ts";
import type { Dependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import type { Db, TesterHandleRow } from "../db/schema.ts";
import { updateRow } from "../db/update-row.ts";
import { findHandle, insertHandle, linkDevice } from "./handle-queries.ts";

/** The game's handle of a name, made where there is none; a key is noted where the handle has none yet. */
export async function ensureHandle(
  db: Db,
  making: Pick<Dependencies, "now" | "newId">,
  gameId: string,
  handle: string,
  keyId: string | null = null,
): Promise<TesterHandleRow> {
  if (handle === "." || handle === ".." || handle.length === 0 || handle.length > 120) {
    throw new ServiceError("invalid", {
      message: `${JSON.stringify(handle)} cannot be a handle`,
      hint: "Use 1 to 120 characters, and not . or ..",
    });
  }
  const known = await findHandle(db, gameId, "handle", handle);
  if (known) {
    if (known.key_id !== null || keyId === null) return known;
    await updateRow(db, "tester_handles", known, { key_id: keyId });
    return { ...known, key_id: keyId };
  }
  const row = {
    game_id: gameId,
    id: making.newId("pth"),
    handle,
    key_id: keyId,
    device_id: null,
    claimed_at: null,
    claim_token_hash: null,
    created_at: making.now(),
  };
  await insertHandle(db, row);
  // Another server may have made it at the same moment.
  return (await findHandle(db, gameId, "handle", handle)) ?? row;
}

/** Gives a handle a new claim token and answers it: the only time it is seen. The one it had stops working at once. */
export async function issueClaimToken(db: Db, handle: TesterHandleRow): Promise<string> {
  const token = `pt_tt_${randomBytes(20).toString("hex")}`;
  await updateRow(db, "tester_handles", handle, { claim_token_hash: hashKey(token) });
  return token;
}

export interface HandleClaim {
  readonly alreadyLinked: boolean;
  readonly handle: string;
  readonly claimedAt: number;
}

/**
 * Links a device to the handle of a token. Throws `not_found` for a token that is not the game's, `conflict` where
 * another device holds the handle, or the device another handle.
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
  // Whoever came first is read again: the write alone decides, whatever was read before it.
  const { row, linked } = before.linked ? before : await findClaimedHandle(db, gameId, token, deviceId);
  if (!linked) throw conflictError("This device is linked to another tester", "device_linked");
  return { alreadyLinked: true, handle: row.handle, claimedAt: row.claimed_at ?? now };
}

/** Unlinks a device from the handle of a token; one that is not linked stays so. Throws as `claimHandle` does. */
export async function releaseHandle(
  db: Db,
  gameId: string,
  token: string,
  deviceId: string,
): Promise<string> {
  const { row, linked } = await findClaimedHandle(db, gameId, token, deviceId);
  if (linked) await updateRow(db, "tester_handles", row, { device_id: null, claimed_at: null });
  return row.handle;
}

async function findClaimedHandle(db: Db, gameId: string, token: string, deviceId: string) {
  const row = await findHandle(db, gameId, "claim_token_hash", hashKey(token));
  if (!row) throw new HttpError("not_found");
  if (row.device_id !== null && row.device_id !== deviceId) throw claimedElsewhereError();
  return { row, linked: row.device_id === deviceId };
}

const claimedElsewhereError = () =>
  conflictError("Another device is linked to this tester", "claimed_elsewhere");

function conflictError(message: string, reason: ClaimReason): Error {
  return new HttpError("conflict", { message, extra: { reason } });
}
