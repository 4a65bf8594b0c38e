/** Finds whose key a request carries, and whether it opens what is asked for. */
import type { KeyKind } from "../contract/define.ts";
import { fail } from "../contract/errors.ts";
import type { Db, KeyRow } from "./db/schema.ts";
import { findKey } from "./keys.ts";

/** The key of an Authorization header. Throws `unauthorized` where there is none or it is unknown. */
export async function authenticate(db: Db, header: string | null): Promise<KeyRow> {
  const token = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  if (token === undefined) throw fail("unauthorized", { message: "Missing bearer token" });
  const key = await findKey(db, token);
  if (!key) throw fail("unauthorized", { message: "Invalid key" });
  return key;
}

/** Throws `forbidden` with the scope that is needed where the key is of another kind. */
export function requireScope(key: KeyRow, allowed: readonly KeyKind[]): void {
  if (allowed.includes(key.kind)) return;
  const requiredScope = allowed[0] ?? "management";
  throw fail("forbidden", {
    message: `This needs a key of scope ${requiredScope}`,
    extra: { requiredScope },
  });
}
