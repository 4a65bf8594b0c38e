/** On which nodes a sharded database (Citus) keeps each table. The key of a table decides; see docs/scaling.md. */
import { type ephemeralTables, type TableName, tables } from "./tables.ts";

/**
 * `game`: in the shard of the row's game. `account`: in a shard of the row's account. `everywhere`: a copy on every node.
 * `coordinator`: only on the coordinator.
 */
export type Placement = "game" | "account" | "everywhere" | "coordinator";

/** The column that decides in which shard a row of a table is. */
export const distributionColumns = { game: "game_id", account: "account_id" } as const;

/** The first table of each kind to be distributed. The shards of the others are kept with its shards. */
export const distributionLeaders = { game: "sessions", account: "embeddings" } as const satisfies {
  readonly [By in keyof typeof distributionColumns]: TableName;
};

/** Tables that queries of a game's data join or search, so every node needs them. */
const copiedTables: readonly string[] = ["games"];
/** Tables of an account that grow with what its games record. Its settings are few, so they stay on the coordinator. */
const largeAccountTables: readonly string[] = ["embeddings"];

export type StoredTable = TableName | (typeof ephemeralTables)[number];

/** Where a table is kept. A request of one game needs its shard and the coordinator, but no other node. */
export function placeTable(name: StoredTable): Placement {
  const key: readonly string[] = name in tables ? tables[name as keyof typeof tables] : [];
  if (key.includes(distributionColumns.game)) return "game";
  if (largeAccountTables.includes(name)) return "account";
  return copiedTables.includes(name) ? "everywhere" : "coordinator";
}
