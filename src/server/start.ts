/** Puts a service together on an open database, and takes it down without losing anything. */

import { type AnalysisWorker, startAnalysis } from "./analysis/worker.ts";
import type { App, AppOptions } from "./app.ts";
import { createApp } from "./app.ts";
import { GroupCommit } from "./db/group-commit.ts";
import type { Store } from "./db/open.ts";
import { SeenIds } from "./ingest/seen-ids.ts";
import { defaultLimits, type LimitSettings, memoryLimits, noLimits } from "./limits.ts";
import { releaseAll } from "./queries/analysis.ts";
import { type Service, type Surroundings, systemSurroundings } from "./service.ts";

export interface ServiceOptions extends AppOptions {
  readonly store: Store;
  /** `off` lets every request through: for bulk loads and tests. */
  readonly limits?: LimitSettings | "off";
  readonly surroundings?: Partial<Surroundings>;
}

/** A service at work: its app, its analysis, and the way to stop both. */
export interface RunningService {
  readonly service: Service;
  readonly app: App;
  readonly analysis: AnalysisWorker;
  /** Finishes the session under analysis and closes the database. */
  stop(): Promise<void>;
}

/** Starts a service. The database is closed with it. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { store, limits = defaultLimits, surroundings = {}, ...appOptions } = options;
  let analysis: AnalysisWorker | null = null;
  const service: Service = {
    ...systemSurroundings,
    ...surroundings,
    store,
    limits: limits === "off" ? noLimits : memoryLimits(limits),
    seenIds: new SeenIds(),
    commits: new GroupCommit(store.write),
    wakeAnalysis: () => analysis?.wake(),
  };
  await releaseAll(store.write);
  const worker = startAnalysis(service);
  analysis = worker;
  return {
    service,
    app: createApp(service, appOptions),
    analysis: worker,
    async stop() {
      await worker.stop();
      await store.close();
    },
  };
}
