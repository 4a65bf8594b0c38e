/** Keys that only this process accepts, until it ends. They are never stored, so they affect no other process. */
import type { ApiKeyKind } from "../../contract/define.ts";
import type { ApiKeyRow } from "../db/schema.ts";
import { generateApiKey, hashKey } from "./keys.ts";

export class TemporaryKeys {
  readonly #rows = new Map<string, ApiKeyRow>();

  /** Creates a key for all games of an account. The account's other keys remain valid. */
  issue(accountId: string, kind: ApiKeyKind, now: number): string {
    const key = generateApiKey(kind);
    const hash = hashKey(key);
    this.#rows.set(hash, {
      hash,
      account_id: accountId,
      kind,
      created_at: now,
      name: null,
      game_id: null,
      environment: null,
      expires_at: null,
      last_used_at: null,
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
