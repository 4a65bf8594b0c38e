/** How the program starts worker processes of itself. */
import type { ChildProcess } from "node:child_process";

/** Starts a worker, with which messages are exchanged. Its values of JavaScript take at most `maxHeapMb` of memory, and a third of that of the machine. */
export type StartWorker = (maxHeapMb: number) => Promise<ChildProcess>;

/** The environment variable that makes a process a worker, if it also has a channel for messages. */
export const WORKER_VARIABLE = "_PLAYTEST_WORKER";
