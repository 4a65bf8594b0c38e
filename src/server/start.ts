/** Starts and stops a service on an open database. */

import { KeyUse } from "./accounts/key-use.ts";
import { TemporaryKeys } from "./accounts/keys.ts";
import { releaseAllLeases } from "./analysis/queue-queries.ts";
import { type AnalysisWorker, startAnalysis } from "./analysis/worker.ts";
import type { AuditEntry } from "./audit/audit.ts";
import { startAuditLog } from "./audit/audit.ts";
import { type BackupSettings, type Backups, createBackups } from "./backups/schedule.ts";
import { createSummaryPass, type SummaryPass } from "./builds/summary-pass.ts";
import { type Dependencies, systemDependencies } from "./core/dependencies.ts";
import type { BackgroundPass } from "./db/background-pass.ts";
import { Budgets, type NO_BUDGETS } from "./db/budgets/budgets.ts";
import { createDatabaseCheck } from "./db/check-pass.ts";
import { GroupCommit } from "./db/group-commit.ts";
import { DatabaseDamaged, Integrity, refuseWritesIfDamaged } from "./db/integrity.ts";
import { prepareKeyedHashes, readKeyedHasher } from "./db/keyed-hash.ts";
import { requireFinishedImport } from "./db/migrate.ts";
import { toOpenError } from "./db/open.ts";
import type { Db } from "./db/schema.ts";
import { checkQuickly } from "./db/sqlite-check.ts";
import { StorageLimit } from "./db/storage-limit.ts";
import type { Store } from "./db/store.ts";
import { createDecisionWatch, type DecisionWatch } from "./experiments/decision-watch.ts";
import { createGatePass } from "./gates/gate-pass.ts";
import { type App, createApp } from "./http/app.ts";
import type { AppOptions } from "./http/context.ts";
import { createRateLimits, defaultRateLimits, type RateLimitSettings } from "./http/rate-limits.ts";
import type { AppService } from "./http/service.ts";
import { releaseWebhookLeases } from "./notifications/notification-queries.ts";
import { DeliveryWorker } from "./notifications/worker.ts";
import { createCompaction } from "./positions/compaction.ts";
import { HeatmapCache } from "./positions/heatmap-cache.ts";
import { keepEverything, type PruningPolicy } from "./pruning/policy.ts";
import { createPruning, type Pruning } from "./pruning/pruning.ts";
import { ArrivalLog } from "./telemetry/arrival-log.ts";
import { createEventCompaction } from "./telemetry/event-compaction.ts";
import { EventNames } from "./telemetry/event-names.ts";
import { SeenIds } from "./telemetry/seen-ids.ts";
import { defaultSessionLimits, type SessionLimits } from "./telemetry/session-limits.ts";
import { createWork, type WorkerSettings } from "./workers/work.ts";

export interface ServiceOptions extends AppOptions {
  readonly store: Store;
  /** `off` disables rate limits, for bulk loads and tests. */
  readonly limits?: RateLimitSettings | "off";
  /** `off` counts nothing toward budgets of a day, for bulk loads. */
  readonly budgets?: typeof NO_BUDGETS | "on";
  /** The maximum size of the database in bytes (default: none). */
  readonly maxDatabaseBytes?: number | undefined;
  /** What one session may store. */
  readonly sessionLimits?: Partial<SessionLimits>;
  readonly dependencies?: Partial<Dependencies>;
  /** What is kept for how long (default: everything). */
  readonly pruning?: PruningPolicy;
  /**
   * Whether another process may serve the same database. Then this one neither releases leases nor runs background work;
   * only `analysis.drain` analyzes sessions, and nothing is sent to webhooks.
   */
  readonly sharesDatabase?: boolean;
  /** Where to run what takes long after `useWorkers`. Without it, everything runs in this process. */
  readonly workers?: WorkerSettings | undefined;
  /** Decrypts the tokens of webhooks (default: none). */
  readonly tokenKey?: Buffer | null;
  /** Where and how often to back up (default: never). */
  readonly backups?: BackupSettings | undefined;
  /** Writes an administrative change to the log of the server. */
  readonly logChange?: (entry: AuditEntry) => void;
}

export interface RunningService {
  readonly service: AppService;
  readonly app: App;
  readonly analysis: AnalysisWorker;
  /** The daily check of a database file. */
  readonly databaseCheck: BackgroundPass;
  readonly backups: Backups;
  readonly compaction: BackgroundPass;
  readonly eventCompaction: BackgroundPass;
  readonly deliveries: DeliveryWorker;
  readonly decisions: DecisionWatch;
  readonly gates: BackgroundPass;
  readonly summaries: SummaryPass;
  readonly pruning: Pruning;
  /** Runs expensive work in workers from now on, because requests arrive. */
  useWorkers(): void;
  /** Gives reads in progress 3 s, because no further requests arrive. */
  endReads(): void;
  /** Announces the shutdown: readiness checks fail, and responses close their connections. */
  drain(): void;
  /**
   * Finishes the current analysis and closes the database. Requests to AI models are aborted, and their sessions return
   * to the queue.
   */
  stop(): Promise<void>;
}

/** How long reads may go on after the last request has arrived, ms. Then they fail, so that the service can stop. */
const DRAIN_WORK_MS = 3000;

/** Starts a service. Stopping it closes the database. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const {
    store: openedStore,
    limits = defaultRateLimits,
    budgets = "on",
    sessionLimits,
    maxDatabaseBytes,
    dependencies: customDependencies = {},
    pruning: policy = keepEverything,
    sharesDatabase = false,
    workers,
    logChange,
    tokenKey = null,
    backups: backupSettings = null,
    ...appOptions
  } = options;
  let analysis: AnalysisWorker | null = null;
  let deliveries: DeliveryWorker | null = null;
  const draining = new AbortController();
  const stopping = new AbortController();
  const { report, ...others } = { ...systemDependencies, ...customDependencies };
  const integrity = new Integrity(openedStore.location, report);
  const dependencies: Dependencies = {
    ...others,
    report(message, error, requestId) {
      integrity.observe(error);
      // Why writes are refused was already reported.
      if (!(error instanceof DatabaseDamaged)) report(message, error, requestId);
    },
  };
  openedStore.watchDamage((error) => integrity.observe(error));
  const store = refuseWritesIfDamaged(openedStore, integrity);
  const work = createWork(() => service, workers);
  const observeDamage = (error: unknown): never => {
    integrity.observe(error);
    throw error;
  };
  const service: AppService = {
    ...dependencies,
    store,
    work: { run: (task, input, signal) => work.run(task, input, signal).catch(observeDamage) },
    integrity,
    tokenKey,
    limits: createRateLimits(limits, store.pool, dependencies.monotonicNow),
    temporaryKeys: new TemporaryKeys(),
    keyUse: new KeyUse(store, dependencies),
    get backups() {
      return backups;
    },
    storage: new StorageLimit(store, { ...dependencies, maxBytes: maxDatabaseBytes ?? null }),
    seenIds: new SeenIds(),
    eventNames: new EventNames(),
    sessionLimits: { ...defaultSessionLimits, ...sessionLimits },
    arrivals: new ArrivalLog(store, dependencies),
    heatmapCache: new HeatmapCache(),
    budgets: new Budgets(store, dependencies, budgets),
    commits: new GroupCommit(store),
    draining: draining.signal,
    stopping: stopping.signal,
    wakeAnalysis: () => analysis?.wake(),
    wakeDeliveries: () => deliveries?.wake(),
  };
  if (!sharesDatabase) await checkAtStart(store, integrity);
  await prepareDatabase(store, sharesDatabase || integrity.isDamaged);
  const hash = await readKeyedHasher(store.readDb);
  const worker = startAnalysis(service);
  const databaseCheck = createDatabaseCheck(service);
  const backups = createBackups(service, backupSettings);
  const compaction = createCompaction(service);
  const eventCompaction = createEventCompaction(service);
  const deliveryWorker = new DeliveryWorker(service);
  const decisions = createDecisionWatch(service);
  const gates = createGatePass(service);
  const summaries = createSummaryPass(service);
  const pruning = createPruning(service, policy);
  if (!sharesDatabase && !integrity.isDamaged) {
    await pruning.start();
    analysis = worker;
    worker.wake();
    databaseCheck.start();
    backups.start();
    compaction.start();
    eventCompaction.start();
    deliveries = deliveryWorker;
    deliveryWorker.wake();
    decisions.start();
    gates.start();
    summaries.start();
  }
  const auditLog =
    logChange && !sharesDatabase && !integrity.isDamaged ? startAuditLog(service, logChange) : null;
  return {
    service,
    app: createApp(service, hash, appOptions),
    analysis: worker,
    databaseCheck,
    backups,
    compaction,
    eventCompaction,
    deliveries: deliveryWorker,
    decisions,
    gates,
    summaries,
    pruning,
    useWorkers: () => work.useWorkers(),
    drain: () => draining.abort(),
    endReads() {
      setTimeout(() => {
        void worker.stop();
        void work.stop();
      }, DRAIN_WORK_MS).unref();
    },
    async stop() {
      draining.abort();
      stopping.abort();
      await work.stop();
      await worker.stop();
      await databaseCheck.stop();
      await backups.stop();
      await compaction.stop();
      await eventCompaction.stop();
      await pruning.stop();
      await decisions.stop();
      await gates.stop();
      await summaries.stop();
      await deliveryWorker.stop();
      await service.arrivals.stop();
      await auditLog?.stop();
      await service.keyUse.stop();
      await service.budgets.stop();
      await store.close();
    },
  };
}

/** Records damage that shows before the first write. The server then starts to answer reads, so that the rest can be saved. */
async function checkAtStart({ engine, location }: Store, integrity: Integrity): Promise<void> {
  if (engine !== "sqlite" || location === ":memory:") return;
  const table = await checkQuickly(location).catch((cause: unknown) => {
    throw toOpenError(location, cause);
  });
  if (table !== null) integrity.recordDamage(`found in the table ${table} at the start`);
}

/**
 * Creates the secret of a new database, and releases the leases of a process that has ended. This is the first write: if the
 * database turns out to be damaged, closes it and throws `unusable`.
 */
async function prepareDatabase(store: Store, keepsLeases: boolean): Promise<void> {
  try {
    // An import may have begun since the empty database was opened. What a service writes would end up among its rows.
    const requireNoImport = (db: Db) => requireFinishedImport(db, store.location);
    await prepareKeyedHashes(store, requireNoImport);
    await requireNoImport(store.readDb);
    // Other servers may hold leases in a Postgres database. Leases of stopped servers expire.
    if (keepsLeases || store.engine !== "sqlite") return;
    await releaseAllLeases(store.writeDb);
    await releaseWebhookLeases(store.writeDb);
  } catch (cause) {
    await store.close();
    throw toOpenError(store.location, cause);
  }
}
