/** API keys: random text, stored as hashes and compared in constant time. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { ApiKeyKind } from "../../contract/define.ts";
import type { ApiKeyRow, Db } from "../db/schema.ts";
import { deleteKeys, findKeyByHash, insertKey } from "./key-queries.ts";

const prefixes = { management: "pt_mgmt_", ingest: "pt_ik_" } as const satisfies Record<ApiKeyKind, string>;

/** Generates a key: a prefix and 40 hexadecimal digits. */
export function generateApiKey(kind: ApiKeyKind): string {
  return prefixes[kind] + randomBytes(20).toString("hex");
}

/** Returns the stored form of a key: its SHA-256 in hexadecimal. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Finds a key by its text; null if it is unknown. Compares the hashes in constant time. */
export async function findKey(db: Db, key: string): Promise<ApiKeyRow | null> {
  const hash = hashKey(key);
  const row = await findKeyByHash(db, hash);
  if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return null;
  return row;
}

/** Stores a new key and returns its text, which cannot be shown again. A new management key replaces the previous one. */
export async function issueKey(
  db: Db,
  account: string,
  kind: ApiKeyKind,
  now: number,
  gameId: string | null = null,
): Promise<string> {
  const key = generateApiKey(kind);
  if (kind === "management") await deleteKeys(db, account, kind);
  const row = { hash: hashKey(key), account_id: account, kind, game_id: gameId, created_at: now };
  await insertKey(db, { ...row, name: null, environment: null, expires_at: null, last_used_at: null });
  return key;
}
