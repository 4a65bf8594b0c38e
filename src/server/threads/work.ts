/** Runs the tasks of a service: in threads of their own, or on the thread of the requests where nothing else needs an answer. */
import { availableParallelism } from "node:os";
import type { StartThread } from "../../shared/start-thread.ts";
import type { Lane, Work } from "../db/service.ts";
import type { AppService } from "../http/service.ts";
import { ThreadLane } from "./lane.ts";
import type { ThreadSetup } from "./messages.ts";

/** How to start threads. */
export interface ThreadSettings {
  readonly start: StartThread;
  readonly setup: Omit<ThreadSetup, "canceled">;
}

/** Maximum number of threads for reads. One processor is left to the thread of the requests. */
const MAX_READ_THREADS = 4;
/** Maximum memory of a thread for values of JavaScript, MB: several times what the largest permitted session takes. */
export const MAX_HEAP_MB = 768;

export interface ServiceWork extends Work<AppService> {
  stop(): Promise<void>;
}

/** Creates the work of a service. Without `threads`, tasks run on the thread that calls them. */
export function createWork(getService: () => AppService, threads: ThreadSettings | undefined): ServiceWork {
  if (!threads)
    return {
      run: async (task, input, signal) => {
        signal?.throwIfAborted();
        return await task.run(getService(), input);
      },
      stop: async () => {},
    };
  const create = (count: number) =>
    new ThreadLane({ ...threads, threads: count, maxHeapMb: MAX_HEAP_MB, now: () => getService().now() });
  const reads = Math.max(1, Math.min(MAX_READ_THREADS, availableParallelism() - 1));
  const lanes: Readonly<Record<Lane, ThreadLane>> = { reads: create(reads), background: create(1) };
  return {
    run: (task, input, signal) => lanes[task.lane].run(task, input, signal),
    async stop() {
      await Promise.all(Object.values(lanes).map((lane) => lane.stop()));
    },
  };
}
