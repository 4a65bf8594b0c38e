/** Tells whether queries run on a sharded database: one whose tables are distributed over several nodes. */
import type { Db } from "./schema.ts";

/** What the adapter of Postgres connections says about their database. */
export interface ShardedAdapter {
  readonly isSharded: boolean;
}

/** Every connection and transaction of an open database has the same adapter. */
export function isSharded(db: Db): boolean {
  const adapter = db.getExecutor().adapter as Partial<ShardedAdapter>;
  return adapter.isSharded === true;
}
