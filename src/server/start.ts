/** Puts a service together on an open database, and takes it down without losing anything. */

import { releaseAllLeases } from "./analysis/queue-queries.ts";
import { type AnalysisWorker, startAnalysis } from "./analysis/worker.ts";
import { type Dependencies, systemDependencies } from "./core/dependencies.ts";
import { GroupCommit } from "./db/group-commit.ts";
import { toOpenError } from "./db/open.ts";
import type { Store } from "./db/store.ts";
import { type App, createApp } from "./http/app.ts";
import type { AppOptions } from "./http/context.ts";
import { createRateLimits, defaultRateLimits, type RateLimitSettings } from "./http/rate-limits.ts";
import type { AppService } from "./http/service.ts";
import { type Compaction, createCompaction } from "./positions/compaction.ts";
import { HeatmapCache } from "./positions/heatmap-cache.ts";
import { EventNames } from "./telemetry/event-names.ts";
import { SeenIds } from "./telemetry/seen-ids.ts";

export interface ServiceOptions extends AppOptions {
  readonly store: Store;
  /** `off` lets every request through: for bulk loads and tests. */
  readonly limits?: RateLimitSettings | "off";
  readonly dependencies?: Partial<Dependencies>;
  /** Set where another process may serve the same database: what it holds stays with it, and only `settle` analyses. */
  readonly sharesDatabase?: boolean;
}

/** A service at work: its app, its analysis, and the way to stop both. */
export interface RunningService {
  readonly service: AppService;
  readonly app: App;
  readonly analysis: AnalysisWorker;
  readonly compaction: Compaction;
  /** Tells that the service is about to stop: it is no longer ready, and its answers end their connections. */
  drain(): void;
  /**
   * Finishes the session under analysis and closes the database. Models are let go: a session that waits for one goes
   * back to the queue as it was.
   */
  stop(): Promise<void>;
}

/** Starts a service. The database is closed with it. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const {
    store,
    limits = defaultRateLimits,
    dependencies: given = {},
    sharesDatabase = false,
    ...appOptions
  } = options;
  let analysis: AnalysisWorker | null = null;
  const draining = new AbortController();
  const stopping = new AbortController();
  const dependencies = { ...systemDependencies, ...given };
  const service: AppService = {
    ...dependencies,
    store,
    limits: createRateLimits(limits, store.pool, dependencies.monotonicNow),
    seenIds: new SeenIds(),
    eventNames: new EventNames(),
    heatmapCache: new HeatmapCache(),
    commits: new GroupCommit(store),
    draining: draining.signal,
    stopping: stopping.signal,
    wakeAnalysis: () => analysis?.wake(),
  };
  const worker = startAnalysis(service);
  const compaction = createCompaction(service);
  if (!sharesDatabase) {
    // Other servers may serve a Postgres database: what they hold ends by itself.
    if (store.engine === "sqlite") await releaseStaleLeases(store);
    analysis = worker;
    worker.wake();
    compaction.start();
  }
  return {
    service,
    app: createApp(service, appOptions),
    analysis: worker,
    compaction,
    drain: () => draining.abort(),
    async stop() {
      draining.abort();
      stopping.abort();
      await worker.stop();
      await compaction.stop();
      await store.close();
    },
  };
}

/** Lets go of what a dead process held. Closes a database whose damage shows only here, and throws `config`. */
async function releaseStaleLeases(store: Store): Promise<void> {
  try {
    await releaseAllLeases(store.writeDb);
  } catch (cause) {
    await store.close();
    throw toOpenError(store.location, cause);
  }
}
