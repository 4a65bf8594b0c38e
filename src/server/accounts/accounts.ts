/** Accounts and games: what must be there before play can be stored. */
import type { Dependencies } from "../core/dependencies.ts";
import type { AccountRow, Db } from "../db/schema.ts";
import { issueKey } from "./keys.ts";
import { insertAccount } from "./queries.ts";

/** The keys of an account, in the only moment they are known. */
export interface NewApiKeys {
  readonly management: string;
  readonly ingest: string;
}

export type CreationDeps = Pick<Dependencies, "now" | "newId">;

/** Makes an account. */
export async function createAccount(db: Db, making: CreationDeps, name: string): Promise<AccountRow> {
  const row = { id: making.newId("user"), name, created_at: making.now() };
  await insertAccount(db, row);
  return row;
}

/** Gives an account new keys; the management key it had stops working at once. */
export async function issueKeys(db: Db, making: CreationDeps, accountId: string): Promise<NewApiKeys> {
  const now = making.now();
  return {
    management: await issueKey(db, accountId, "management", now),
    ingest: await issueKey(db, accountId, "ingest", now),
  };
}
