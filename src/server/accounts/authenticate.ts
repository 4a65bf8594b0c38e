/** Authenticates requests by their API key, and checks its scope. */
import type { ApiKeyKind, Credential } from "../../contract/define.ts";
import { HttpError, KEY_EXPIRED } from "../../contract/errors.ts";
import { badRequest } from "../core/http-errors.ts";
import type { ApiKeyRow, Db } from "../db/schema.ts";
import { findKeyByHash, lockKey } from "./account-queries.ts";
import type { TemporaryKeys } from "./keys.ts";
import { findKey } from "./keys.ts";

/** Functions that return the text of a request's key, or null. */
const keyReaders: Readonly<Record<Credential, (sources: CredentialSources) => string | null>> = {
  bearer: ({ header }) => /^bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? null,
  query: ({ query }) => new URLSearchParams(query).get("key"),
};

const INVALID_KEY = "Invalid key";
const missingKeyMessages = { bearer: "Missing bearer token", query: "Missing key" } as const;

/** The parts of a request that may contain its key. */
export interface CredentialSources {
  /** The Authorization header. */
  readonly header: string | null;
  readonly query: string;
}

/** Where keys are looked up. */
interface KeyStores {
  readonly db: Db;
  readonly temporaryKeys: TemporaryKeys;
  /** The current time, unix ms. */
  readonly now: number;
}

/** Whether a key has expired at a time, unix ms. */
export const isExpired = ({ expires_at }: ApiKeyRow, now: number) => expires_at !== null && expires_at <= now;

/** Finds the key of a request. Throws `unauthorized` if it is missing, unknown or expired. */
export async function authenticate(
  { db, temporaryKeys, now }: KeyStores,
  credential: Credential,
  sources: CredentialSources,
): Promise<ApiKeyRow> {
  const text = keyReaders[credential](sources);
  if (!text) throw new HttpError("unauthorized", { message: missingKeyMessages[credential] });
  const key = temporaryKeys.find(text) ?? (await findKey(db, text));
  if (!key) throw new HttpError("unauthorized", { message: INVALID_KEY });
  if (isExpired(key, now)) throw new HttpError("unauthorized", { message: describeExpiry(key) });
  return key;
}

/**
 * Throws `unauthorized` if the key of a request was replaced or revoked since the request began, for example while its body
 * arrived. Call it in the transaction that writes: either the write is committed before the key is deleted, or it is refused.
 */
export async function requireCurrentKey(
  { db, temporaryKeys, now }: KeyStores,
  key: ApiKeyRow,
): Promise<void> {
  if (temporaryKeys.includes(key) || (await lockKey(db, key.hash, now))) return;
  throw new HttpError("unauthorized", { message: INVALID_KEY });
}

/** Whether a key that was accepted before is still valid. */
export async function isValidKey(
  { db, temporaryKeys, now }: KeyStores,
  { hash }: ApiKeyRow,
): Promise<boolean> {
  const key = temporaryKeys.get(hash) ?? (await findKeyByHash(db, hash));
  return key !== undefined && !isExpired(key, now);
}

/** Why an expired key is refused. A key that expires at 0 is being revoked. */
const describeExpiry = ({ expires_at }: ApiKeyRow) =>
  expires_at ? `${KEY_EXPIRED} at ${new Date(expires_at).toISOString()}` : INVALID_KEY;

/** Throws `bad_request` if the query contains several keys. */
export function requireOneKey(credential: Credential, query: string): void {
  if (credential !== "query" || new URLSearchParams(query).getAll("key").length < 2) return;
  throw badRequest([{ path: ["key"], code: "repeated", message: "must not be repeated" }]);
}

const keyNames: Readonly<Record<ApiKeyKind, string>> = {
  management: "a management key",
  ingest: "an ingest key",
  ci: "a CI key",
};

/** Throws `forbidden` with the required scope if the key has another scope. */
export function requireScope(key: ApiKeyRow, allowed: readonly ApiKeyKind[]): void {
  if (allowed.includes(key.kind)) return;
  const requiredScope = allowed[0] ?? "management";
  throw new HttpError("forbidden", {
    message: `This request requires ${keyNames[requiredScope]}, but ${keyNames[key.kind]} was sent`,
    extra: { requiredScope },
  });
}
