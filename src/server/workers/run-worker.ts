/** A worker of a service: runs tasks, one after the other, on a connection of its own that only reads. */
import { systemDependencies } from "../core/dependencies.ts";
import { openStore, type Store } from "../db/open.ts";
import { findTask } from "../http/all-tasks.ts";
import type { AppService } from "../http/service.ts";
import { HeatmapCache } from "../positions/heatmap-cache.ts";
import { describeError, type ResultMessage, type TaskMessage, type WorkerSetup } from "./messages.ts";

/** The channel to the service. */
interface Channel {
  receive(listener: (message: unknown) => void): void;
  send(message: ResultMessage): void;
}

/** Runs the tasks that arrive after the setup. */
export function runWorker({ receive, send }: Channel): void {
  const heatmapCache = new HeatmapCache();
  let opening: Promise<Store> | null = null;
  const run = async ({ task, input, now }: TaskMessage): Promise<ResultMessage> => {
    try {
      if (!opening) throw new Error("The setup of the worker is missing");
      const service = createWorkerService(await opening, heatmapCache, now);
      return { output: await findTask(task).run(service, input) };
    } catch (error) {
      return { error: describeError(error) };
    }
  };
  receive((message) => {
    if (opening) void run(message as TaskMessage).then(send);
    else {
      opening = openStore({ ...(message as WorkerSetup), mustExist: true, onlyReads: true });
      // The first task reports the error.
      opening.catch(() => {});
    }
  });
}

/** The service as tasks see it. What writes, or belongs to requests, is not there. */
function createWorkerService(store: Store, heatmapCache: HeatmapCache, now: number): AppService {
  const service: Partial<AppService> = {
    ...systemDependencies,
    ...{ store, heatmapCache, now: () => now },
    draining: new AbortController().signal,
    stopping: new AbortController().signal,
    work: { run: (task, input) => task.run(service as AppService, input) },
  };
  return service as AppService;
}
