/** API keys: random text, stored as hashes and compared in constant time. */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { ApiKeyKind } from "../../contract/define.ts";
import { emptyColumns, insertRow } from "../db/rows.ts";
import type { ApiKeyRow, Db } from "../db/schema.ts";
import { deleteOwnKey, findKeyByHash } from "./account-queries.ts";

const prefixes = { management: "pt_mgmt_", ingest: "pt_ik_", ci: "pt_ci_" } as const satisfies Record<
  ApiKeyKind,
  string
>;

/** Generates a key: a prefix and 40 hexadecimal digits. */
export function generateApiKey(kind: ApiKeyKind): string {
  return prefixes[kind] + randomBytes(20).toString("hex");
}

/** Returns the stored form of a key: its SHA-256 in hexadecimal. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

const ID_DIGITS = 12;

/** The id of a key in the output of commands and in the audit, by its hash. */
export const toKeyId = (hash: string) => hash.slice(0, ID_DIGITS);

/** Finds a key by its text; null if it is unknown. Compares the hashes in constant time. */
export async function findKey(db: Db, key: string): Promise<ApiKeyRow | null> {
  const hash = hashKey(key);
  const row = await findKeyByHash(db, hash);
  if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return null;
  return row;
}

/** What a new key can be used for. */
export interface KeyLimits {
  readonly kind: ApiKeyKind;
  readonly name?: string | null;
  /** The only game of an ingest key or CI key; null for all games of the account. */
  readonly gameId?: string | null;
  /** The only environment of an ingest key; null for all environments. */
  readonly environment?: string | null;
  /** Unix ms; null for never. */
  readonly expiresAt?: number | null;
}

/** Stores a new key and returns its text, which cannot be shown again. Other keys remain valid. */
export async function createKey(
  db: Db,
  accountId: string,
  now: number,
  { kind, name = null, gameId = null, environment = null, expiresAt = null }: KeyLimits,
): Promise<string> {
  const key = generateApiKey(kind);
  await insertRow(db, "keys", {
    hash: hashKey(key),
    account_id: accountId,
    kind,
    game_id: gameId,
    created_at: now,
    name,
    environment,
    expires_at: expiresAt,
    last_used_at: null,
  });
  return key;
}

/** Creates an unnamed key. A new management key replaces the previous one of the account, but not the named ones. */
export async function issueKey(
  db: Db,
  account: string,
  kind: ApiKeyKind,
  now: number,
  gameId: string | null = null,
): Promise<string> {
  if (kind === "management") await deleteOwnKey(db, account);
  return await createKey(db, account, now, { kind, gameId });
}

export class TemporaryKeys {
  readonly #rows = new Map<string, ApiKeyRow>();

  /** Creates a key for all games of an account. The account's other keys remain valid. */
  issue(accountId: string, kind: ApiKeyKind, now: number): string {
    const key = generateApiKey(kind);
    const hash = hashKey(key);
    this.#rows.set(hash, {
      ...emptyColumns("keys"),
      hash,
      account_id: accountId,
      kind,
      created_at: now,
    });
    return key;
  }

  get(hash: string): ApiKeyRow | undefined {
    return this.#rows.get(hash);
  }

  /** Finds a key by its text; null if it is unknown. Looking up hashes does not reveal how much of a key is right. */
  find(key: string): ApiKeyRow | null {
    return this.#rows.size === 0 ? null : (this.#rows.get(hashKey(key)) ?? null);
  }

  /** Whether a key is one of these keys. */
  includes({ hash }: ApiKeyRow): boolean {
    return this.#rows.has(hash);
  }
}
