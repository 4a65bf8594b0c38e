/** The start of a thread of the program. */
import { parentPort, workerData } from "node:worker_threads";
import { runThread } from "./server/threads/thread.ts";

if (!parentPort) throw new Error("This file only runs in a thread");
void runThread(parentPort, workerData);
