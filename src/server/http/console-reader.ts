/** Who reads pages of the console: somebody with a session, or somebody whom a proxy names. */
import { HttpError } from "../../contract/errors.ts";
import { listAccounts } from "../accounts/account-queries.ts";
import { findConsoleKey } from "../accounts/console-sessions.ts";
import { hashKey } from "../accounts/keys.ts";
import type { ApiKeyRow } from "../db/schema.ts";
import type { Exchange } from "./exchange.ts";
import type { AppService } from "./service.ts";
import type { TrustedIdentity } from "./trusted-identity.ts";

/** Somebody who may read pages. */
export interface Reader {
  readonly key: ApiKeyRow;
  /** Identifies the reader for the rate limit. */
  readonly client: string;
  /** The name from the proxy; null for somebody who signed in with a key. */
  readonly name: string | null;
}

/** The reader with a session; null if the session or its key has ended. */
export async function findSessionReader(service: AppService, token: string | null): Promise<Reader | null> {
  const key = token === null ? null : await findConsoleKey(service, token);
  if (token === null || key === null) return null;
  if (!service.temporaryKeys.includes(key)) service.keyUse.record(key);
  return { key, client: hashKey(token), name: null };
}

/** The reader whom the proxy names. Reads the only account. Throws `forbidden`. */
export async function findNamedReader(
  service: AppService,
  identity: TrustedIdentity,
  { request, peer }: Exchange,
): Promise<Reader> {
  const name = identity.find(request, peer);
  const [account, another] = await listAccounts(service.store.readDb);
  if (!account || another)
    throw new HttpError("forbidden", {
      message: "A proxy can sign people in only if the server has exactly one account",
    });
  const client = hashKey(name);
  const limits = { game_id: null, environment: null, expires_at: null };
  const dates = { created_at: 0, last_used_at: null };
  const key = {
    hash: client,
    account_id: account.id,
    kind: "management",
    name,
    ...limits,
    ...dates,
  } as const;
  return { key, client, name };
}
