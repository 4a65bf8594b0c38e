/** Keys: made at random, kept as hashes, compared in constant time. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { ApiKeyKind } from "../../contract/define.ts";
import type { ApiKeyRow, Db } from "../db/schema.ts";
import { deleteKeys, findKeyByHash, insertKey } from "./key-queries.ts";

const prefixes = { management: "pt_mgmt_", ingest: "pt_ik_" } as const satisfies Record<ApiKeyKind, string>;

/** A new key: its prefix and 40 hex digits. */
export function generateApiKey(kind: ApiKeyKind): string {
  return prefixes[kind] + randomBytes(20).toString("hex");
}

/** What is stored of a key: its SHA-256, hex. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** The stored row of a key, or null where it is unknown. The hash that is found is compared in constant time. */
export async function findKey(db: Db, key: string): Promise<ApiKeyRow | null> {
  const hash = hashKey(key);
  const row = await findKeyByHash(db, hash);
  if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return null;
  return row;
}

/** Stores a new key of an account and answers it: the only time its text is seen. A new management key replaces the old one. */
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
  await insertKey(db, row);
  return key;
}
