/** The columns of accounts. */
import { toColumns } from "../../../../render/tables/resource-columns.ts";
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

export const accountColumns = toColumns<Account>({
  columns: {
    name: { header: "NAME", tone: "strong", shrink: 1 },
    id: { header: "ID" },
    games: { header: "GAMES" },
    createdAt: { header: "CREATED", kind: "time" },
  },
});
