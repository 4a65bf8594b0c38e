/** Group commit: writes that arrive together share one transaction and one disk sync, and are acknowledged after it. */
import { sql } from "kysely";
import { runConcurrently } from "./concurrent-writes.ts";
import { createCounterSavepoint, rollbackCounters } from "./counters.ts";
import { getErrorCode, isTransient, REPEATED_WRITE_CODES, TRANSACTION_FAILED_CODE } from "./errors.ts";
import { prepareQuery } from "./prepared.ts";
import type { Db } from "./schema.ts";
import type { Store } from "./store.ts";

/**
 * How a write may share a transaction with others. On Postgres, `concurrent` writes run at the same time: they lock what they
 * use with `waitForRow`. All others run one after another.
 */
type WriteMode = "concurrent" | "sequential";

/** The write of one caller, and how to undo its changes in memory if it is rolled back. */
interface QueuedWrite {
  work(db: Db): Promise<unknown>;
  undo(): void;
  readonly mode: WriteMode;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The outcome of one caller's work, before the commit. */
type WriteOutcome = { readonly value: unknown } | { readonly error: unknown };

/** Maximum number of writes per transaction. Every caller waits for the whole group. */
const MAX_GROUP_SIZE = 32;

const createSavepoint = prepareCommand("savepoint one");
const releaseSavepoint = prepareCommand("release one");
const rollbackToSavepoint = prepareCommand("rollback to one");

function prepareCommand(text: string) {
  const run = prepareQuery((db) => ({ compile: () => sql.raw(text).compile(db) }));
  return (db: Db) => run(db, {});
}

/**
 * A queue in front of an engine whose commits block. While one transaction waits for the disk, writes queue up for the
 * next. Each write runs in its own savepoint, so that a failed write does not affect the others.
 */
export class GroupCommit {
  readonly #store: Pick<Store, "write" | "engine">;
  #queue: QueuedWrite[] = [];
  #running = false;

  constructor(store: Pick<Store, "write" | "engine">) {
    this.#store = store;
  }

  /**
   * Runs `work` in a transaction and resolves once it is committed. If the work or the commit fails, nothing of it is
   * stored, `undo` is called before any other work runs, and the error is thrown.
   */
  run<T>(work: (db: Db) => Promise<T>, undo: () => void, mode: WriteMode = "sequential"): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, undo, mode, resolve: resolve as (value: unknown) => void, reject });
      if (!this.#running) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#queue.length > 0) {
      // Requests that arrived during the last commit have not been read yet. Wait for them as long as the queue grows.
      for (let previous = 0; previous < this.#queue.length && previous < MAX_GROUP_SIZE; ) {
        previous = this.#queue.length;
        // Two turns of the event loop: the first callback still runs in the current turn, and a turn accepts only one
        // connection.
        for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      await this.#commit(this.#queue.splice(0, MAX_GROUP_SIZE));
    }
    this.#running = false;
  }

  async #commit(group: readonly QueuedWrite[]): Promise<void> {
    let outcomes: WriteOutcome[];
    try {
      outcomes = await this.#storeGroup(group);
    } catch (error) {
      undoAll(group);
      for (const { reject } of group) reject(error);
      return;
    }
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index] ?? { error: new RangeError("A queued write did not run") };
      if ("value" in outcome) resolve(outcome.value);
      else reject(outcome.error);
    }
  }

  /** Stores a group in one transaction. A failed write ends the concurrent ones, so that all run again one after another. */
  async #storeGroup(group: readonly QueuedWrite[]): Promise<WriteOutcome[]> {
    const isConcurrent = group.length > 1 && group.some(({ mode }) => mode === "concurrent");
    if (this.#store.engine === "postgres" && isConcurrent) {
      try {
        return await this.#transact(group, runTogether);
      } catch (error) {
        if (isTransient(error)) throw error;
        undoAll(group);
      }
    }
    return await this.#transact(group, runInTurn);
  }

  async #transact(group: readonly QueuedWrite[], run: RunGroup): Promise<WriteOutcome[]> {
    let isRetry = false;
    return await this.#store.write(async (db) => {
      if (isRetry) undoAll(group);
      isRetry = true;
      return await run(db, group);
    });
  }
}

type RunGroup = (db: Db, group: readonly QueuedWrite[]) => Promise<WriteOutcome[]>;

const undoAll = (group: readonly QueuedWrite[]): void => {
  for (const { undo } of group) undo();
};

/** Runs the writes of a group one after another. */
const runInTurn: RunGroup = async (db, group) => {
  const [only] = group;
  if (group.length === 1 && only) return [{ value: await only.work(db) }];
  const outcomes: WriteOutcome[] = [];
  for (const write of group) outcomes.push(await runInSavepoint(db, write));
  return outcomes;
};

/** Runs the concurrent writes of a group at the same time, then the others. Throws if one fails that has written. */
const runTogether: RunGroup = async (db, group) => {
  const concurrent = group.filter(({ mode }) => mode === "concurrent");
  const results = await runConcurrently(
    db,
    concurrent.map(({ work }) => work),
  );
  const errors = results.flatMap((result) => ("error" in result ? [result] : []));
  const isCause = ({ error }: { error: unknown }) => getErrorCode(error) !== TRANSACTION_FAILED_CODE;
  if (errors.some(({ hasWritten }) => hasWritten)) throw (errors.find(isCause) ?? errors[0])?.error;
  const outcomes = new Map<QueuedWrite, WriteOutcome>();
  for (const [index, write] of concurrent.entries()) {
    const result = results[index] as WriteOutcome;
    if ("error" in result) write.undo();
    outcomes.set(write, result);
  }
  for (const write of group) if (!outcomes.has(write)) outcomes.set(write, await runInSavepoint(db, write));
  return group.map((write) => outcomes.get(write) as WriteOutcome);
};

async function runInSavepoint(db: Db, { work, undo }: QueuedWrite): Promise<WriteOutcome> {
  await createSavepoint(db);
  const counterSavepoint = createCounterSavepoint(db);
  try {
    const value = await work(db);
    await releaseSavepoint(db);
    return { value };
  } catch (error) {
    // The store retries the whole transaction.
    if (REPEATED_WRITE_CODES.has(getErrorCode(error))) throw error;
    rollbackCounters(db, counterSavepoint);
    try {
      await rollbackToSavepoint(db);
      await releaseSavepoint(db);
    } catch {
      // SQLite rolls back the whole transaction when the disk is full. Fail the group with the original error.
      throw error;
    }
    undo();
    return { error };
  }
}
