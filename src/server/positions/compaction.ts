/** Moves positions from the chunks they arrive in into large blocks, in the background, a bounded piece at a time. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Service } from "../db/service.ts";
import { type BlockKey, findKeysWithChunks, moveChunks } from "./block-queries.ts";

/** From so many chunks on, those of a room, build and environment are moved: fewer are read one by one. */
export const MIN_CHUNKS = 64;

/** How long is waited between two looks, ms. */
const PAUSE_MS = 10_000;

export interface Compaction {
  /** Looks for chunks now and then, until `stop`. */
  start(): void;
  /** Moves what there is to move. Throws what a step throws. */
  drain(): Promise<void>;
  /** Finishes the step at hand and stops. */
  stop(): Promise<void>;
}

/** The compaction of a service. Any number of servers may run it on one database. */
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
  const settle = async () => {
    if (stopped) return;
    running ??= pass().finally(() => {
      running = null;
    });
    await running;
  };
  const sleep = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      void settle()
        .catch((error: unknown) => service.report("moving positions into blocks", error))
        .then(sleep);
    }, PAUSE_MS);
    timer.unref();
  };
  return {
    start: sleep,
    drain: settle,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      // What failed was told to who waited for it, or reported.
      await running?.catch(() => {});
    },
  };
}
