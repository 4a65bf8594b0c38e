/**
 * Finds sessions by the id that their client chose. Only one session of a game has that id: if another device uses it too, by
 * mistake or because its data was copied, the other device gets a session of its own, which its creation hash finds again.
 */
import { createHash } from "node:crypto";
import type { Db, SessionRow } from "../db/schema.ts";
import { hasClientSession, lockClientSession, lockGameSession } from "./session-queries.ts";

/** The ids of a request. */
interface ClientIds {
  readonly clientSessionId: string;
  readonly deviceId: string | undefined;
}

interface ClientSessionSearch {
  /** The session of the device, locked; undefined if it has none. */
  readonly found: SessionRow | undefined;
  /** Whether the session with the id belongs to another device, and this one has none. */
  readonly isTaken: boolean;
}

/** Locks no session of another device: a write may only use one (`waitForRow`). */
export async function findClientSession(
  db: Db,
  gameId: string,
  { clientSessionId, deviceId }: ClientIds,
): Promise<ClientSessionSearch> {
  if (deviceId === undefined) {
    const holder = await lockGameSession(db, gameId, "client_session_id", clientSessionId);
    return { found: holder, isTaken: false };
  }
  const own = await lockClientSession(db, gameId, clientSessionId, deviceId);
  if (own) return { found: own, isTaken: false };
  // Also without a holder: it may have been deleted after the other device got its session.
  const hash = hashClientSession(clientSessionId, deviceId);
  const found = await lockGameSession(db, gameId, "creation_hash", hash);
  return { found, isTaken: found === undefined && (await hasClientSession(db, gameId, clientSessionId)) };
}

/**
 * The creation hash of the session of a device whose client session id belongs to the session of another device. Without a
 * device, the hash of the fact that a device held the id.
 */
export function hashClientSession(clientSessionId: string, deviceId: string | null): string {
  const identity = ["client session", clientSessionId, deviceId];
  return createHash("sha256").update(JSON.stringify(identity)).digest("base64url");
}
