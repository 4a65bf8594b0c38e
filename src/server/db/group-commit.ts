/** Commits what arrives together in one transaction: the disk is waited for once, and only then is any of it acknowledged. */
import { sql } from "kysely";
import { createCounterSavepoint, rollbackCounters } from "./counters.ts";
import { getErrorCode, SERIALIZATION_FAILURE_CODES } from "./error-codes.ts";
import type { Db } from "./schema.ts";
import type { Store } from "./store.ts";

/** What one caller stores, and what is to be taken back in memory where that is rolled back. */
interface QueuedWrite {
  work(db: Db): Promise<unknown>;
  undo(): void;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** What became of one caller's work before the commit. */
type WriteOutcome = { readonly value: unknown } | { readonly error: unknown };

/** How many share a transaction at most: an answer waits for all of them. */
const MAX_GROUP_SIZE = 32;

const createSavepoint = sql`savepoint one`;
const releaseSavepoint = sql`release one`;
const rollbackToSavepoint = sql`rollback to one`;

/**
 * A queue in front of an engine whose commits block: while one waits for the disk, requests gather for the next.
 * Each work has a savepoint of its own, so that one that fails takes nothing of the others with it.
 */
export class GroupCommit {
  readonly #store: Pick<Store, "write">;
  #waiting: QueuedWrite[] = [];
  #running = false;

  constructor(store: Pick<Store, "write">) {
    this.#store = store;
  }

  /**
   * Runs `work` in a transaction, and resolves once that is committed. Where the work or the commit fails, nothing of
   * it is stored, `undo` has been called before any other work runs, and the error is thrown.
   */
  run<T>(work: (db: Db) => Promise<T>, undo: () => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, undo, resolve: resolve as (value: unknown) => void, reject });
      if (!this.#running) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      // Requests that have arrived while the disk was waited for are read first, and join, while each turn brings more.
      for (let waited = 0; waited < this.#waiting.length && waited < MAX_GROUP_SIZE; ) {
        waited = this.#waiting.length;
        // Twice: the first fires in the turn at hand, after what that has read. A turn accepts one connection alone.
        for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      await this.#commit(this.#waiting.splice(0, MAX_GROUP_SIZE));
    }
    this.#running = false;
  }

  async #commit(group: readonly QueuedWrite[]): Promise<void> {
    let outcomes: WriteOutcome[];
    const undoAll = () => {
      for (const { undo } of group) undo();
    };
    try {
      let isAnew = false;
      outcomes = await this.#store.write(async (db) => {
        if (isAnew) undoAll();
        isAnew = true;
        return await runGroup(db, group);
      });
    } catch (error) {
      undoAll();
      for (const { reject } of group) reject(error);
      return;
    }
    for (const [at, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[at] ?? { error: new RangeError("A work was not run") };
      if ("value" in outcome) resolve(outcome.value);
      else reject(outcome.error);
    }
  }
}

async function runGroup(db: Db, group: readonly QueuedWrite[]): Promise<WriteOutcome[]> {
  const [only] = group;
  if (group.length === 1 && only) return [{ value: await only.work(db) }];
  const outcomes: WriteOutcome[] = [];
  for (const waiting of group) outcomes.push(await runInSavepoint(db, waiting));
  return outcomes;
}

async function runInSavepoint(db: Db, { work, undo }: QueuedWrite): Promise<WriteOutcome> {
  await createSavepoint.execute(db);
  const mark = createCounterSavepoint(db);
  try {
    const value = await work(db);
    await releaseSavepoint.execute(db);
    return { value };
  } catch (error) {
    // The whole transaction is run anew.
    if (SERIALIZATION_FAILURE_CODES.has(getErrorCode(error))) throw error;
    rollbackCounters(db, mark);
    try {
      await rollbackToSavepoint.execute(db);
      await releaseSavepoint.execute(db);
    } catch {
      // The engine has rolled back everything by itself, its disk being full: all are refused, and told why.
      throw error;
    }
    undo();
    return { error };
  }
}
