/** Puts a service together on an open database, and takes it down without losing anything. */

import { type AnalysisWorker, startAnalysis } from "./analysis/worker.ts";
import type { App, AppOptions } from "./app.ts";
import { createApp } from "./app.ts";
import { type Compaction, compactionOf } from "./compaction.ts";
import { GroupCommit } from "./db/group-commit.ts";
import { notOpened } from "./db/open.ts";
import type { Store } from "./db/store.ts";
import { HeatmapGrids } from "./heatmap-grids.ts";
import { EventNames } from "./ingest/event-names.ts";
import { SeenIds } from "./ingest/seen-ids.ts";
import { defaultLimits, type LimitSettings, memoryLimits, noLimits } from "./limits.ts";
import { releaseAll } from "./queries/analysis.ts";
import { type Service, type Surroundings, systemSurroundings } from "./service.ts";

export interface ServiceOptions extends AppOptions {
  readonly store: Store;
  /** `off` lets every request through: for bulk loads and tests. */
  readonly limits?: LimitSettings | "off";
  readonly surroundings?: Partial<Surroundings>;
  /** Set where another process may serve the same database: what it holds stays with it, and only `settle` analyses. */
  readonly beside?: boolean;
}

/** A service at work: its app, its analysis, and the way to stop both. */
export interface RunningService {
  readonly service: Service;
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
  const { store, limits = defaultLimits, surroundings = {}, beside = false, ...appOptions } = options;
  let analysis: AnalysisWorker | null = null;
  const draining = new AbortController();
  const stopping = new AbortController();
  const service: Service = {
    ...systemSurroundings,
    ...surroundings,
    store,
    limits: limits === "off" ? noLimits : (store.limits?.(limits) ?? memoryLimits(limits)),
    seenIds: new SeenIds(),
    eventNames: new EventNames(),
    grids: new HeatmapGrids(),
    commits: new GroupCommit(store),
    draining: draining.signal,
    stopping: stopping.signal,
    wakeAnalysis: () => analysis?.wake(),
  };
  const worker = startAnalysis(service);
  const compaction = compactionOf(service);
  if (!beside) {
    // Other servers may serve a Postgres database: what they hold ends by itself.
    if (store.engine === "sqlite") await releaseHeld(store);
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
async function releaseHeld(store: Store): Promise<void> {
  try {
    await releaseAll(store.write);
  } catch (cause) {
    await store.close();
    throw notOpened(store.location, cause);
  }
}
