/** A worker of a service: runs tasks, one after the other, on a connection of its own that only reads. */
import { version } from "../../shared/version.prepared.ts";
import { systemDependencies } from "../core/dependencies.ts";
import { UNAVAILABLE_CODE } from "../db/errors.ts";
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
  let database: WorkerDatabase | null = null;
  const run = async (opened: WorkerDatabase, { task, input, now }: TaskMessage): Promise<ResultMessage> => {
    try {
      const service = createWorkerService(await opened.open(), heatmapCache, now);
      return { output: await findTask(task).run(service, input) };
    } catch (error) {
      return { error: describeError(error) };
    }
  };
  receive((message) => {
    if (database) void run(database, message as TaskMessage).then(send);
    else database = new WorkerDatabase(message as WorkerSetup);
  });
}

const createUnavailable = (message: string) => Object.assign(new Error(message), { code: UNAVAILABLE_CODE });

/** The connection of a worker of the same version. If it cannot be opened, the next task tries again. */
class WorkerDatabase {
  readonly #setup: WorkerSetup;
  #store: Promise<Store> | null = null;

  constructor(setup: WorkerSetup) {
    this.#setup = setup;
  }

  async open(): Promise<Store> {
    const { version: expected, ...location } = this.#setup;
    if (expected !== version)
      throw createUnavailable(
        `The service still runs version ${expected}, but ${version} is installed. Restart it`,
      );
    this.#store ??= openStore({ ...location, mustExist: true, onlyReads: true });
    try {
      return await this.#store;
    } catch (error) {
      this.#store = null;
      throw createUnavailable((error as Error).message);
    }
  }
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
