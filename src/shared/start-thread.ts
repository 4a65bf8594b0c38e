/** How the program starts a thread of itself. */
import type { Worker } from "node:worker_threads";

/** Starts a thread with a setup that can be copied. Its values of JavaScript take at most `maxHeapMb` of memory. */
export type StartThread = (setup: object, maxHeapMb: number) => Promise<Worker>;
