/**
 * Writes that run at the same time in one transaction on Postgres. While one of them waits for a response, the others send
 * their statements, so that a group of writes waits about as often as a single one.
 */
import type { KyselyPlugin } from "kysely";
import { shareCounters } from "./counters.ts";
import { copyPipeline } from "./pipeline.ts";
import type { Db } from "./schema.ts";

/** One of the writes of a transaction. */
interface Member {
  /** Resolves when the write is done, whether it failed or not. */
  readonly done: Promise<void>;
  /** The last write of the transaction that uses a row, by the row. */
  readonly rows: Map<string, Member>;
}

const members = new WeakMap<Db, Member>();

type WriteResult<T> =
  | { readonly value: T }
  /** `hasWritten`: whether the write has changed rows, which only the end of the transaction can undo. */
  | { readonly error: unknown; readonly hasWritten: boolean };

/** Runs the works at the same time, each with its own object for the transaction, and waits for all of them. */
export async function runConcurrently<T>(
  db: Db,
  works: readonly ((db: Db) => Promise<T>)[],
): Promise<WriteResult<T>[]> {
  const rows = new Map<string, Member>();
  return await Promise.all(works.map((work) => runMember(db, rows, work)));
}

async function runMember<T>(
  db: Db,
  rows: Map<string, Member>,
  work: (db: Db) => Promise<T>,
): Promise<WriteResult<T>> {
  let hasWritten = false;
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (result.numAffectedRows) hasWritten = true;
      return result;
    },
  };
  const own = db.withPlugin(plugin) as Db;
  shareCounters(db, own);
  members.set(own, { done, rows });
  copyPipeline(db, own);
  try {
    return { value: await work(own) };
  } catch (error) {
    return { error, hasWritten };
  } finally {
    end();
  }
}

/**
 * Waits until no earlier write of the same transaction uses a row; row locks only separate transactions. Returns whether it
 * had to wait: what was read of the row before may have changed. A write may use only one row, so that no two writes wait for
 * each other.
 */
export async function waitForRow(db: Db, row: string): Promise<boolean> {
  const member = members.get(db);
  if (!member) return false;
  const previous = member.rows.get(row);
  if (previous === member) return false;
  member.rows.set(row, member);
  if (!previous) return false;
  await previous.done;
  return true;
}
