/** The columns of accounts. */
import type { TableColumn } from "../../../../render/columns.ts";
import { textColumn, timeColumn } from "../../../../render/tables/columns.ts";
import type { AccountRow } from "../../../../server/db/schema.ts";

export interface Account {
  readonly id: string;
  readonly name: string;
  /** Unix ms. */
  readonly createdAt: number;
  /** The number of games. */
  readonly games: number;
}

export function toAccount({ id, name, created_at }: AccountRow, games: number): Account {
  return { id, name, createdAt: created_at, games };
}

export const accountColumns: readonly TableColumn<Account>[] = [
  { ...textColumn<Account>("name", "NAME", (account) => account.name, 1), style: "strong" },
  textColumn("id", "ID", (account) => account.id),
  textColumn("games", "GAMES", (account) => account.games),
  timeColumn("createdAt", "CREATED", (account) => account.createdAt),
];
