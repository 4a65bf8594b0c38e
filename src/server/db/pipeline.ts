/** Statements that are sent without waiting for the responses of earlier ones, in write transactions on Postgres. */
import type { Db } from "./schema.ts";

/** The connection of a transaction. */
export interface Pipeline {
  /** Takes results that are needed only before the transaction is committed. */
  expect(results: readonly Promise<unknown>[]): void;
}

type Task = () => Promise<unknown>;

const pipelines = new WeakMap<Db, Pipeline>();

export const setPipeline = (db: Db, pipeline: Pipeline): void => {
  pipelines.set(db, pipeline);
};

/** Makes another object for the same transaction use its pipeline. */
export function copyPipeline(from: Db, to: Db): void {
  const pipeline = pipelines.get(from);
  if (pipeline) pipelines.set(to, pipeline);
}

/**
 * Runs tasks in order that do not need each other's results. In a pipeline they do not wait for each other. All have ended when
 * this function returns, or throws the first error.
 */
export async function runTasks(db: Db, tasks: readonly Task[]): Promise<void> {
  if (pipelines.has(db)) await waitForAll(tasks.map((task) => task()));
  else for (const task of tasks) await task();
}

/** Runs the last tasks of a transaction in order. In a pipeline, the commit follows without waiting for them. */
export async function runLastTasks(db: Db, tasks: readonly Task[]): Promise<void> {
  const pipeline = pipelines.get(db);
  if (pipeline) pipeline.expect(tasks.map((task) => task()));
  else await runTasks(db, tasks);
}

/** Waits for all results, and throws the error of the first that failed: those of later ones follow from it. */
export async function waitForAll(results: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(results);
  const failed = settled.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
