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
  send(message: ResultMessage): Promise<void>;
  /** Ends the worker. */
  end(): void;
}

/** The code of a refused connection, after which a request is to be repeated. */
const UNAVAILABLE_CODE = "ECONNREFUSED";

/** Runs the tasks that arrive after the setup. */
export function runWorker({ receive, send, end }: Channel): void {
  const heatmapCache = new HeatmapCache();
  let opening: Promise<Store> | null = null;
  const run = async (store: Store, { task, input, now }: TaskMessage): Promise<ResultMessage> => {
    try {
      const service = createWorkerService(store, heatmapCache, now);
      return { output: await findTask(task).run(service, input) };
    } catch (error) {
      return { error: describeError(error) };
    }
  };
  const answer = async (opened: Promise<Store>, message: TaskMessage) => {
    let store: Store;
    try {
      store = await opened;
    } catch (error) {
      // The database may be available again for the next worker.
      await send({ error: { ...describeError(error), code: UNAVAILABLE_CODE } });
      end();
      return;
    }
    await send(await run(store, message));
  };
  receive((message) => {
    if (opening) void answer(opening, message as TaskMessage);
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
