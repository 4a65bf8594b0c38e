/** Creates accounts and issues their keys. */

import type { Dependencies } from "../core/dependencies.ts";
import { insertRow } from "../db/rows.ts";
import type { AccountRow, Db } from "../db/schema.ts";
import { issueKey } from "./keys.ts";

/** New keys of an account. Only their hashes are stored, so they cannot be shown again. */
export interface NewApiKeys {
  readonly management: string;
  readonly ingest: string;
}

export type CreationDeps = Pick<Dependencies, "now" | "newId">;

export async function createAccount(db: Db, deps: CreationDeps, name: string): Promise<AccountRow> {
  const row = { id: deps.newId("user"), name, created_at: deps.now() };
  await insertRow(db, "accounts", row);
  return row;
}

/** Issues new keys of an account. The previous management key stops working immediately; ingest keys remain valid. */
export async function issueKeys(db: Db, deps: CreationDeps, accountId: string): Promise<NewApiKeys> {
  const now = deps.now();
  return {
    management: await issueKey(db, accountId, "management", now),
    ingest: await issueKey(db, accountId, "ingest", now),
  };
}
