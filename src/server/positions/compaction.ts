/** Compaction: moves positions from chunks into large blocks, in the background and in small steps. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type BackgroundPass, createBackgroundPass } from "../db/background-pass.ts";
import type { Service } from "../db/service.ts";
import { type BlockKey, findKeysWithChunks, moveChunks } from "./block-queries.ts";

/** Chunks of a room, build and environment are only moved if there are at least this many. */
const MIN_CHUNKS = 64;

/** Pause between two passes, ms. */
const PAUSE_MS = 10_000;

/** Creates the compaction of a service. */
export function createCompaction(service: Service): BackgroundPass {
  const moveAll = async (key: BlockKey, isStopped: () => boolean) => {
    const step = () => service.store.write((db) => moveChunks(db, key, MIN_CHUNKS));
    while (!isStopped() && (await step()) > 0) await nextTurn();
  };
  return createBackgroundPass(service, {
    name: "position compaction",
    pauseMs: PAUSE_MS,
    async run(isStopped) {
      for (const key of await findKeysWithChunks(service.store.readDb, MIN_CHUNKS))
        await moveAll(key, isStopped);
    },
  });
}
