/** Runs the tasks of a service: in workers, or in the process of the service where nothing else needs an answer. */
import { availableParallelism } from "node:os";
import type { StartWorker } from "../../shared/start-worker.ts";
import type { Lane, Work } from "../db/service.ts";
import type { AppService } from "../http/service.ts";
import { WorkerLane } from "./lane.ts";
import type { WorkerSetup } from "./messages.ts";

/** How to start workers. */
export interface WorkerSettings {
  readonly start: StartWorker;
  readonly setup: WorkerSetup;
}

/** Maximum number of workers for reads. One processor is left to the service itself. */
export const MAX_READERS = 4;
/** Maximum memory of a worker for values of JavaScript, MB: several times what the largest permitted session takes. */
export const MAX_HEAP_MB = 768;

export interface ServiceWork extends Work<AppService> {
  stop(): Promise<void>;
}

/** Creates the work of a service. Without `workers`, tasks run in this process. */
export function createWork(getService: () => AppService, workers: WorkerSettings | undefined): ServiceWork {
  if (!workers)
    return {
      run: async (task, input, signal) => {
        signal?.throwIfAborted();
        return await task.run(getService(), input);
      },
      stop: async () => {},
    };
  const create = (count: number) =>
    new WorkerLane({ ...workers, workers: count, maxHeapMb: MAX_HEAP_MB, now: () => getService().now() });
  const readers = Math.max(1, Math.min(MAX_READERS, availableParallelism() - 1));
  const lanes: Readonly<Record<Lane, WorkerLane>> = { reads: create(readers), background: create(1) };
  return {
    run: (task, input, signal) => lanes[task.lane].run(task, input, signal),
    async stop() {
      await Promise.all(Object.values(lanes).map((lane) => lane.stop()));
    },
  };
}
