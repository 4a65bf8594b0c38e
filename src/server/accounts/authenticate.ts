/** Finds whose key a request carries, and whether it opens what is asked for. */
import type { ApiKeyKind, Credential } from "../../contract/define.ts";
import { HttpError } from "../../contract/errors.ts";
import { badRequest } from "../core/bad-request.ts";
import type { ApiKeyRow, Db } from "../db/schema.ts";
import { findKey } from "./keys.ts";

/** The text of a key, or null: of an Authorization header, or of the query parameter `key`. */
const keyReaders: Readonly<Record<Credential, (from: CredentialSources) => string | null>> = {
  bearer: ({ header }) => /^bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? null,
  query: ({ query }) => new URLSearchParams(query).get("key"),
};

const missingKeyMessages = { bearer: "Missing bearer token", query: "Missing key" } as const;

/** Where a request may carry its key. */
export interface CredentialSources {
  readonly header: string | null;
  readonly query: string;
}

/** The key that a request carries. Throws `unauthorized` where there is none or it is unknown. */
export async function authenticate(db: Db, where: Credential, given: CredentialSources): Promise<ApiKeyRow> {
  const text = keyReaders[where](given);
  if (!text) throw new HttpError("unauthorized", { message: missingKeyMessages[where] });
  const key = await findKey(db, text);
  if (!key) throw new HttpError("unauthorized", { message: "Invalid key" });
  return key;
}

/** Throws `bad_request` where a key in the query is given more than once. */
export function requireOneKey(where: Credential, query: string): void {
  if (where !== "query" || new URLSearchParams(query).getAll("key").length < 2) return;
  throw badRequest([{ path: ["key"], code: "repeated", message: "must be given once" }]);
}

/** Throws `forbidden` with the scope that is needed where the key is of another kind. */
export function requireScope(key: ApiKeyRow, allowed: readonly ApiKeyKind[]): void {
  if (allowed.includes(key.kind)) return;
  const requiredScope = allowed[0] ?? "management";
  throw new HttpError("forbidden", {
    message: `This needs a key of scope ${requiredScope}`,
    extra: { requiredScope },
  });
}
