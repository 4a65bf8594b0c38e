/** Compaction: moves positions from chunks into large blocks, in the background and in small steps. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Service } from "../db/service.ts";
import { type BlockKey, findKeysWithChunks, moveChunks } from "./block-queries.ts";

/** Chunks of a room, build and environment are only moved if there are at least this many. */
export const MIN_CHUNKS = 64;

/** Pause between two passes, ms. */
const PAUSE_MS = 10_000;

export interface Compaction {
  /** Starts regular passes, until `stop`. */
  start(): void;
  /** Runs one pass now. Throws the error of a failed step. */
  drain(): Promise<void>;
  /** Finishes the current step and stops. */
  stop(): Promise<void>;
}

/** Creates the compaction of a service. Several servers may run it on the same database. */
export function createCompaction(service: Service): Compaction {
  let running: Promise<void> | null = null;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const moveAll = async (key: BlockKey) => {
    const step = () => service.store.write((db) => moveChunks(db, key, MIN_CHUNKS));
    while (!stopped && (await step()) > 0) await nextTurn();
  };
  const pass = async () => {
    for (const key of await findKeysWithChunks(service.store.readDb, MIN_CHUNKS)) await moveAll(key);
  };
  const drain = async () => {
    if (stopped) return;
    running ??= pass().finally(() => {
      running = null;
    });
    await running;
  };
  const schedule = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      void drain()
        .catch((error: unknown) => service.report("position compaction", error))
        .then(schedule);
    }, PAUSE_MS);
    timer.unref();
  };
  return {
    start: schedule,
    drain,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      // A failed pass was already reported, or thrown to the caller of `drain`.
      await running?.catch(() => {});
    },
  };
}
