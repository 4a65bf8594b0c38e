/** What queries must know about a sharded database: one whose tables are distributed over the nodes of a cluster. */
import { type RawBuilder, sql } from "kysely";
import { NODE_DOWN_CODE } from "./errors.ts";
import type { Db } from "./schema.ts";

/** The nodes of a sharded database, as far as queries need them. */
export interface Cluster {
  /** The games whose nodes respond; null if all nodes do. */
  readonly reachableGames: ReadonlySet<string> | null;
}

/** What the adapter of Postgres connections says about their database. */
export interface ClusterAdapter {
  /** Null if the database is not sharded. */
  readonly cluster: Cluster | null;
}

/** Every connection and transaction of an open database has the same adapter. */
function findCluster(db: Db): Cluster | null {
  return (db.getExecutor().adapter as Partial<ClusterAdapter>).cluster ?? null;
}

export const isSharded = (db: Db): boolean => findCluster(db) !== null;

/** The games whose nodes respond; null if all do. */
export const findReachableGames = (db: Db): ReadonlySet<string> | null =>
  findCluster(db)?.reachableGames ?? null;

/** Whether all nodes respond. Rows about a game that have another id than the game may be on another node. */
export const isComplete = (db: Db): boolean => findReachableGames(db) === null;

/**
 * Restricts a search over all accounts to the games whose nodes respond, so that a node that is down only affects its own games.
 * The condition is always true otherwise.
 */
export function isReachable(db: Db, column = "game_id"): RawBuilder<boolean> {
  const games = findReachableGames(db);
  return games === null ? sql`true` : sql`${sql.ref(column)} = any(${[...games]}::text[])`;
}

/** What was asked for may be on a node that is down. */
export class NodeDownError extends Error {
  override readonly name = "NodeDownError";
  readonly code = NODE_DOWN_CODE;

  constructor() {
    super("A node of the database is down");
  }
}
