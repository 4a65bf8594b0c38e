/** Commits what arrives together in one transaction: the disk is waited for once, and only then is any of it acknowledged. */
import { sql } from "kysely";
import { forgetSums, markSums } from "./counters.ts";
import { CROSSED, codeOf } from "./fault-codes.ts";
import type { Db } from "./schema.ts";
import type { Store } from "./store.ts";

/** What one caller stores, and what is to be taken back in memory where that is rolled back. */
interface Waiting {
  work(db: Db): Promise<unknown>;
  undo(): void;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** What became of one caller's work before the commit. */
type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** How many share a transaction at most: an answer waits for all of them. */
const MOST = 32;

const keep = sql`savepoint one`;
const release = sql`release one`;
const takeBack = sql`rollback to one`;

/**
 * A queue in front of an engine whose commits block: while one waits for the disk, requests gather for the next.
 * Each work has a savepoint of its own, so that one that fails takes nothing of the others with it.
 */
export class GroupCommit {
  readonly #store: Pick<Store, "change">;
  #waiting: Waiting[] = [];
  #running = false;

  constructor(store: Pick<Store, "change">) {
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
      for (let waited = 0; waited < this.#waiting.length && waited < MOST; ) {
        waited = this.#waiting.length;
        // Twice: the first fires in the turn at hand, after what that has read. A turn accepts one connection alone.
        for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      await this.#commit(this.#waiting.splice(0, MOST));
    }
    this.#running = false;
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    let outcomes: Outcome[];
    const undoAll = () => {
      for (const { undo } of group) undo();
    };
    try {
      let isAnew = false;
      outcomes = await this.#store.change(async (db) => {
        if (isAnew) undoAll();
        isAnew = true;
        return await runAll(db, group);
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

async function runAll(db: Db, group: readonly Waiting[]): Promise<Outcome[]> {
  const [only] = group;
  if (group.length === 1 && only) return [{ value: await only.work(db) }];
  const outcomes: Outcome[] = [];
  for (const waiting of group) outcomes.push(await runOne(db, waiting));
  return outcomes;
}

async function runOne(db: Db, { work, undo }: Waiting): Promise<Outcome> {
  await keep.execute(db);
  const mark = markSums(db);
  try {
    const value = await work(db);
    await release.execute(db);
    return { value };
  } catch (error) {
    // The whole transaction is run anew.
    if (CROSSED.has(codeOf(error))) throw error;
    forgetSums(db, mark);
    try {
      await takeBack.execute(db);
      await release.execute(db);
    } catch {
      // The engine has rolled back everything by itself, its disk being full: all are refused, and told why.
      throw error;
    }
    undo();
    return { error };
  }
}
