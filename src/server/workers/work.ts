/** Runs the tasks of a service: in workers, or in the process of the service where nothing else needs an answer. */
import { availableParallelism } from "node:os";
import type { StartWorker } from "../../shared/start-worker.ts";
import { version } from "../../shared/version.prepared.ts";
import { TaskStopped } from "../core/task-stopped.ts";
import type { Lane, Work } from "../db/service.ts";
import type { AppService } from "../http/service.ts";
import { WorkerLane } from "./lane.ts";
import type { DatabaseLocation } from "./messages.ts";

/** How to start workers. */
export interface WorkerSettings {
  readonly start: StartWorker;
  readonly location: DatabaseLocation;
}

/** Maximum number of workers for reads. One processor is left to the service itself. */
export const MAX_READERS = 4;
/** Maximum memory of a worker for values of JavaScript, MB: several times what the largest permitted session takes. */
export const MAX_HEAP_MB = 768;

/** When the worker for checks and copies of the whole database ends, ms. */
const MAX_IDLE_MS = 10_000;

export interface ServiceWork extends Work<AppService> {
  /** Runs tasks in workers from now on. */
  useWorkers(): void;
  stop(): Promise<void>;
}

/** Creates the work of a service. Tasks run in this process until `useWorkers`, and without `workers` always. */
export function createWork(getService: () => AppService, workers: WorkerSettings | undefined): ServiceWork {
  let lanes: Readonly<Record<Lane, WorkerLane>> | null = null;
  const measure = async <T>(task: string, work: () => Promise<T>): Promise<T> => {
    const { observer, monotonicNow } = getService();
    const startedAt = monotonicNow();
    try {
      return await work();
    } finally {
      observer.worked({ task, ms: monotonicNow() - startedAt });
    }
  };
  const create = ({ start, location }: WorkerSettings, count: number, idle: { maxIdleMs?: number } = {}) =>
    new WorkerLane({
      ...{ start, workers: count, maxHeapMb: MAX_HEAP_MB, now: () => getService().now() },
      ...{ ...idle, measure },
      setup: { ...location, version },
    });
  return {
    async run(task, input, signal) {
      if (lanes) return await lanes[task.lane].run(task, input, signal);
      if (signal?.aborted) throw new TaskStopped("canceled");
      return await measure(task.name, () => task.run(getService(), input));
    },
    useWorkers() {
      if (!workers) return;
      const readers = Math.max(1, Math.min(MAX_READERS, availableParallelism() - 1));
      lanes ??= {
        reads: create(workers, readers),
        background: create(workers, 1),
        upkeep: create(workers, 1, { maxIdleMs: MAX_IDLE_MS }),
      };
    },
    async stop() {
      await Promise.all(Object.values(lanes ?? {}).map((lane) => lane.stop()));
    },
  };
}
