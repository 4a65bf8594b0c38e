/**
 * Sessions of people who are signed in to the console. The cookie has a random token, of which the database only has the hash.
 * Neither can be turned back into the key.
 */

import { randomBytes } from "node:crypto";
import { HOUR_MS } from "../../shared/time-units.ts";
import { insertRow } from "../db/rows.ts";
import type { ApiKeyRow, Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { isExpired } from "./authenticate.ts";
import {
  deleteConsoleSession,
  deleteExpiredConsoleSessions,
  deleteOldestConsoleSessions,
  findConsoleSession,
} from "./console-session-queries.ts";
import type { TemporaryKeys } from "./keys.ts";
import { hashKey } from "./keys.ts";

/** How long somebody stays signed in: a working day. */
export const CONSOLE_SESSION_MS = 12 * HOUR_MS;

/** How many sessions a key can have. The next one ends the oldest, so that repeated sign-ins cannot fill the table. */
export const MAX_CONSOLE_SESSIONS = 100;

const TOKEN_BYTES = 32;

/** The text of a cookie that can be a token. */
const TOKEN = /^[\w-]{43}$/;

type SessionService = Pick<Service, "store" | "now"> & { readonly temporaryKeys: TemporaryKeys };

/** Starts a session of a key, and returns its token. Ends the session that the browser had before; null if it had none. */
export async function startConsoleSession(
  { store, now }: SessionService,
  key: ApiKeyRow,
  previous: string | null,
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const at = now();
  const session = { hash: hashKey(token), key_hash: key.hash };
  await store.write(async (db: Db) => {
    await deleteExpiredConsoleSessions(db, at);
    if (previous !== null) await deleteConsoleSession(db, hashKey(previous));
    await insertRow(db, "console_sessions", {
      ...session,
      created_at: at,
      expires_at: at + CONSOLE_SESSION_MS,
    });
    await deleteOldestConsoleSessions(db, session, MAX_CONSOLE_SESSIONS);
  });
  return token;
}

/** The key of a session; null if the session or its key has ended. */
export async function findConsoleKey(service: SessionService, token: string): Promise<ApiKeyRow | null> {
  if (!TOKEN.test(token)) return null;
  const { store, temporaryKeys } = service;
  const now = service.now();
  const session = await findConsoleSession(store.readDb, hashKey(token));
  if (!session || session.expiresAt <= now) return null;
  const key = temporaryKeys.get(session.keyHash) ?? session.key;
  return key && !isExpired(key, now) ? key : null;
}

export async function endConsoleSession({ store }: SessionService, token: string): Promise<void> {
  await store.write(async (db: Db) => await deleteConsoleSession(db, hashKey(token)));
}
