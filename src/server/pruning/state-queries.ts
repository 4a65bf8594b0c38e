/** Reads and writes the state of pruning. All of it is in one row, whose lock serializes the steps of all processes. */
import { emptyColumns, insertNew, updateRows } from "../db/rows.ts";
import type { Db, PruningStateRow } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import type { PruningPolicy } from "./policy.ts";

const ROW_ID = 1;

const initialState: PruningStateRow = {
  ...emptyColumns("retention_state"),
  id: ROW_ID,
  turn: 0,
  pruned_sessions: 0,
  pruned_events: 0,
  deleted_sessions: 0,
};

/** The state; that of a new database if nothing was ever pruned. */
export async function readPruningState(db: Db): Promise<PruningStateRow> {
  return (await selectState(db).executeTakeFirst()) ?? initialState;
}

/** Reads the state and locks it until the transaction ends. Waits if another process has the lock. */
export async function lockPruningState(db: Db): Promise<PruningStateRow> {
  await insertNew(db, "retention_state", initialState);
  return await selectState(db).forUpdate().executeTakeFirstOrThrow();
}

/** Like `lockPruningState`, but does not wait: null if another process has the lock. */
export async function tryLockPruningState(db: Db): Promise<PruningStateRow | null> {
  await insertNew(db, "retention_state", initialState);
  return (await selectState(db).forUpdate().skipLocked().executeTakeFirst()) ?? null;
}

const selectState = (db: Db) => db.selectFrom("retention_state").selectAll().where("id", "=", ROW_ID);

export async function updatePruningState(db: Db, changed: Partial<PruningStateRow>): Promise<void> {
  await updateRows(db, "retention_state", { id: ROW_ID }, changed);
}

/** Stores the policy of a server, so that it can be shown. */
export async function storePolicy(
  store: Store,
  { keepEventsMs, keepSessionsMs }: PruningPolicy,
): Promise<void> {
  const policy = { keep_events_ms: keepEventsMs, keep_sessions_ms: keepSessionsMs };
  const stored = await readPruningState(store.readDb);
  const isStored = stored.keep_events_ms === keepEventsMs && stored.keep_sessions_ms === keepSessionsMs;
  if (isStored) return;
  await store.writeDb
    .insertInto("retention_state")
    .values({ ...initialState, ...policy })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(policy))
    .execute();
}
