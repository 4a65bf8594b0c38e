/** The last step of every restore and import of a whole database, before anybody uses the result. */
import type { Db } from "../db/schema.ts";
import type { Store } from "../db/store.ts";

export interface RestoredDatabase {
  /** The restored database, with the current schema. Nobody else has opened it yet. */
  readonly restored: Store;
  /** The database that it replaces, for reading; null if there is none. It may have an older schema. */
  readonly previous: Db | null;
}

/**
 * Brings a restored database in line with what has happened since its backup was made. Nothing is carried over today:
 * this is the one place for it, so that no kind of restore can forget it.
 */
export async function afterRestore(_database: RestoredDatabase): Promise<void> {}
