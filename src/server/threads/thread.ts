/** A thread of a service: runs tasks, one after the other, on a connection of its own that only reads. */
import type { MessagePort } from "node:worker_threads";
import { systemDependencies } from "../core/dependencies.ts";
import { TaskStopped } from "../core/task-stopped.ts";
import { openStore, type Store } from "../db/open.ts";
import { findTask } from "../http/all-tasks.ts";
import type { AppService } from "../http/service.ts";
import { HeatmapCache } from "../positions/heatmap-cache.ts";
import { describeError, type ResultMessage, type TaskMessage, type ThreadSetup } from "./messages.ts";

/** Runs the tasks that arrive at a port. */
export async function runThread(port: MessagePort, { canceled, ...setup }: ThreadSetup): Promise<void> {
  const checkCanceled = () => {
    if (Atomics.load(canceled, 0) === 1) throw new TaskStopped("canceled");
  };
  const store = await openStore({ ...setup, mustExist: true, onlyReads: true, beforeQuery: checkCanceled });
  const heatmapCache = new HeatmapCache();
  const run = async ({ task, input, now }: TaskMessage): Promise<ResultMessage> => {
    try {
      return { output: await findTask(task).run(createThreadService(store, heatmapCache, now), input) };
    } catch (error) {
      return { error: describeError(error) };
    }
  };
  port.on("message", (message: TaskMessage) => {
    void run(message).then((result) => port.postMessage(result));
  });
}

/** The service as tasks see it. What writes, or belongs to requests, is not there. */
function createThreadService(store: Store, heatmapCache: HeatmapCache, now: number): AppService {
  const service: Partial<AppService> = {
    ...systemDependencies,
    ...{ store, heatmapCache, now: () => now },
    draining: new AbortController().signal,
    stopping: new AbortController().signal,
    work: { run: (task, input) => task.run(service as AppService, input) },
  };
  return service as AppService;
}
