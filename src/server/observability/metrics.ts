/** Prometheus metrics of the service and its process, in a separate registry. */
import { STATUS_CODES } from "node:http";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { countEventRefusals, refusalReasons } from "../../contract/refusals.ts";
import { ModelStopped } from "../analysis/provider/faults.ts";
import { countReanalyses } from "../analysis/queue-queries.ts";
import type { BackupStatus } from "../backups/schedule.ts";
import { countOutdatedSummaries } from "../builds/summary-queries.ts";
import { modelFailureReasons, type Observer } from "../core/observer.ts";
import { withTimeout } from "../core/with-timeout.ts";
import type { Service } from "../db/service.ts";
import type { StorageLimit } from "../db/storage-limit.ts";
import { countOutbox } from "../notifications/notification-queries.ts";
import { readPruningState } from "../pruning/state-queries.ts";
import { countDueSessions, countOutdatedPruned, MAX_COUNTED } from "./health-queries.ts";

/** How long a scrape waits for the database, ms. The default scrape timeout of Prometheus is 10 seconds. */
const DATABASE_TIMEOUT_MS = 2000;
/** The methods that get their own label value. Any other is labeled `other`, because clients may send anything. */
const METHODS = new Set(["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"]);
/** Bucket bounds of request durations, seconds. Most requests take milliseconds, those to an AI model up to a minute. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Bucket bounds of analysis durations, seconds. Rules take milliseconds, an AI model with retries takes minutes. */
const ANALYSIS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** What a scrape reads. */
export type MeasuredService = Service & {
  readonly storage: StorageLimit;
  readonly backups: { readonly status: BackupStatus };
};

export interface MetricsObserver extends Observer {
  /** Renders all metrics as text, with its content type. */
  scrape(service: MeasuredService): Promise<{ readonly type: string; readonly text: string }>;
  /** Removes all metrics. */
  stop(): void;
}

/** Creates the metrics of a process. Every label has a fixed set of values. */
export function startMetrics(): MetricsObserver {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = createMetrics(registry);
  return {
    async request(request, answer) {
      const { endpoint } = request;
      const method = METHODS.has(request.method) ? request.method : "other";
      const stopTimer = metrics.requestSeconds.startTimer({ endpoint, method });
      const outcome = await answer();
      stopTimer();
      metrics.requests.inc({ endpoint, method, status: outcome.response.status });
      if (outcome.refusal !== null) metrics.refusals.inc({ reason: outcome.refusal });
      if (outcome.limit !== null) metrics.limited.inc({ scope: outcome.limit });
      return outcome;
    },
    async ingest(commit) {
      const receipt = await commit();
      metrics.events.inc({ result: "accepted" }, receipt.accepted);
      metrics.events.inc({ result: "duplicate" }, receipt.duplicates);
      metrics.events.inc({ result: "rejected" }, receipt.rejected.length);
      for (const [reason, count] of Object.entries(countEventRefusals(receipt.rejected)))
        metrics.refusals.inc({ reason }, count);
      return receipt;
    },
    async analysis(_sessionId, analyze) {
      const stopTimer = metrics.analysisSeconds.startTimer();
      try {
        await analyze();
        metrics.analyses.inc({ result: "analyzed" });
      } catch (error) {
        metrics.analyses.inc({ result: error instanceof ModelStopped ? "stopped" : "failed" });
        throw error;
      } finally {
        stopTimer();
      }
    },
    reanalysis: () => {},
    pruned({ events, sessions, deletedSessions }) {
      metrics.pruned.inc({ kind: "events" }, events);
      metrics.pruned.inc({ kind: "event_sessions" }, sessions);
      metrics.pruned.inc({ kind: "sessions" }, deletedSessions);
    },
    transactionRetried: () => metrics.retries.inc(),
    delivery: ({ result }) => metrics.deliveries.inc({ result }),
    modelFailed: ({ reason, status }) => metrics.modelFailures.inc({ reason, status: labelStatus(status) }),
    async scrape(service) {
      const { readDb } = service.store;
      // Report NaN if the database does not respond, so that the other metrics are still available.
      const count = async (query: Promise<number>) =>
        await withTimeout(DATABASE_TIMEOUT_MS, query).catch(() => Number.NaN);
      const [due, outdated, outdatedPruned, outdatedSummaries, outbox, bytes] = await Promise.all([
        count(countDueSessions(readDb, service.now())),
        count(countReanalyses(readDb, MAX_COUNTED)),
        count(countOutdatedPruned(readDb)),
        count(countOutdatedSummaries(readDb, MAX_COUNTED)),
        count(countOutbox(readDb, MAX_COUNTED)),
        count(service.storage.measure()),
      ]);
      metrics.outbox.set(outbox);
      metrics.databaseBytes.set(bytes);
      metrics.databaseDamaged.set(service.integrity.isDamaged ? 1 : 0);
      metrics.databaseCheck.set((service.integrity.checkedAt ?? 0) / 1000);
      metrics.maxDatabaseBytes.set(service.storage.maxBytes ?? 0);
      setBackups(metrics, service.backups.status);
      await setPruning(metrics, service);
      metrics.due.set(due);
      metrics.outdated.set(outdated);
      metrics.outdatedPruned.set(outdatedPruned);
      metrics.outdatedSummaries.set(outdatedSummaries);
      for (const [budget, share] of Object.entries(service.budgets.measure()))
        metrics.budgets.set({ budget }, share);
      return { type: registry.contentType, text: await registry.metrics() };
    },
    stop: () => registry.clear(),
  };
}

/** Returns the name, type and meaning of each metric of the service, without those of its process. */
export function describeMetrics(): { name: string; type: string; help: string }[] {
  const registry = new Registry();
  createMetrics(registry);
  return registry
    .getMetricsAsArray()
    .map(({ name, type, help }) => ({ name, type: String(type), help }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads the policy that is in effect for the database. */
async function setPruning({ keptFor, lastPruned }: Metrics, { store }: Service): Promise<void> {
  const state = await withTimeout(DATABASE_TIMEOUT_MS, readPruningState(store.readDb)).catch(() => null);
  const toSeconds = (ms: number | null | undefined) => (state ? (ms ?? 0) / 1000 : Number.NaN);
  keptFor.set({ kind: "events" }, toSeconds(state?.keep_events_ms));
  keptFor.set({ kind: "sessions" }, toSeconds(state?.keep_sessions_ms));
  lastPruned.set(toSeconds(state?.last_pruned_at));
}

function setBackups(
  metrics: Metrics,
  { everyMs, createdAt, bytes, durationMs, hasFailed }: BackupStatus,
): void {
  metrics.backupInterval.set((everyMs ?? 0) / 1000);
  metrics.lastBackup.set((createdAt ?? 0) / 1000);
  metrics.lastBackupVerified.set(createdAt !== null && !hasFailed ? 1 : 0);
  metrics.lastBackupBytes.set(bytes);
  metrics.lastBackupSeconds.set((durationMs ?? 0) / 1000);
}

/** The label of a provider's status. Statuses that HTTP does not define are one value, because a provider may send any number. */
const labelStatus = (status: number | null): string =>
  status === null ? "none" : status in STATUS_CODES ? String(status) : "other";

type Metrics = ReturnType<typeof createMetrics>;

function createMetrics(registry: Registry) {
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name: `playtest_${name}_total`, help, labelNames, registers: [registry] });
  const metrics = {
    requests: counter("http_requests", "HTTP requests by endpoint, method and status", [
      "endpoint",
      "method",
      "status",
    ]),
    requestSeconds: new Histogram({
      name: "playtest_http_request_duration_seconds",
      help: "Time until the response to an HTTP request was ready, in seconds",
      labelNames: ["endpoint", "method"],
      buckets: REQUEST_BUCKETS,
      registers: [registry],
    }),
    limited: counter("limited_requests", "Requests rejected by a rate limit, by scope (ip or key)", [
      "scope",
    ]),
    events: counter("events", "Telemetry events by result (accepted, duplicate or rejected)", ["result"]),
    refusals: counter("refusals", "Refused telemetry requests and rejected events by reason", ["reason"]),
    analyses: counter("analyses", "Session analyses by result (analyzed, failed or stopped)", ["result"]),
    analysisSeconds: new Histogram({
      name: "playtest_analysis_duration_seconds",
      help: "Duration of session analyses, in seconds",
      buckets: ANALYSIS_BUCKETS,
      registers: [registry],
    }),
    pruned: counter(
      "pruned",
      "What pruning removed, by kind (events, sessions whose events were removed, and sessions)",
      ["kind"],
    ),
    retries: counter(
      "database_retries",
      "Database transactions retried after a conflict or a lost connection",
    ),
    deliveries: counter(
      "webhook_deliveries",
      "Attempts to send to a webhook by result (delivered, retry or dropped)",
      ["result"],
    ),
    modelFailures: counter(
      "model_failures",
      "Failed requests to AI models by reason (declined, invalid, refused, unavailable or timeout) and by the status of the provider (none without an answer)",
      ["reason", "status"],
    ),
    outbox: new Gauge({
      name: "playtest_webhook_outbox",
      help: "Events waiting to be sent to webhooks (counted up to 10,000; NaN if the database does not respond)",
      registers: [registry],
    }),
    databaseBytes: new Gauge({
      name: "playtest_database_bytes",
      help: "Size of the database, in bytes (NaN if the database does not respond)",
      registers: [registry],
    }),
    maxDatabaseBytes: new Gauge({
      name: "playtest_database_max_bytes",
      help: "Size from which telemetry is refused with status 507, in bytes (0: no limit)",
      registers: [registry],
    }),
    databaseDamaged: new Gauge({
      name: "playtest_database_damaged",
      help: "Whether this server has found damage in the database file (1: it refuses writes until it is restarted)",
      registers: [registry],
    }),
    databaseCheck: new Gauge({
      name: "playtest_database_check_timestamp_seconds",
      help: "When the last complete check of the database file ended without damage (0: none since the start)",
      registers: [registry],
    }),
    backupInterval: new Gauge({
      name: "playtest_backup_interval_seconds",
      help: "Time between two backups by this server (0: it makes none)",
      registers: [registry],
    }),
    lastBackup: new Gauge({
      name: "playtest_last_backup_timestamp_seconds",
      help: "When the newest checked backup in the folder of --backup-to was made (0: none)",
      registers: [registry],
    }),
    lastBackupVerified: new Gauge({
      name: "playtest_last_backup_verified",
      help: "Whether the last backup by this server was read back and had the rows of the database (0: it failed, or there is none)",
      registers: [registry],
    }),
    lastBackupBytes: new Gauge({
      name: "playtest_last_backup_bytes",
      help: "Size of the newest checked backup, in bytes",
      registers: [registry],
    }),
    lastBackupSeconds: new Gauge({
      name: "playtest_last_backup_duration_seconds",
      help: "How long the last backup by this server took with its check, in seconds (0: none since the start)",
      registers: [registry],
    }),
    due: new Gauge({
      name: "playtest_sessions_due",
      help: "Sessions due for analysis (counted up to 10,000; NaN if the database does not respond)",
      registers: [registry],
    }),
    keptFor: new Gauge({
      name: "playtest_retention_seconds",
      help: "How long events and sessions are kept, by kind (0: without a limit; NaN if the database does not respond)",
      labelNames: ["kind"],
      registers: [registry],
    }),
    lastPruned: new Gauge({
      name: "playtest_last_pruned_timestamp_seconds",
      help: "When the last complete run of pruning ended (0: never; NaN if the database does not respond)",
      registers: [registry],
    }),
    budgets: new Gauge({
      name: "playtest_budget_used_ratio",
      help: "Share of a budget that was used on this UTC day, of the key, game or account with the highest share",
      labelNames: ["budget"],
      registers: [registry],
    }),
    outdated: new Gauge({
      name: "playtest_sessions_outdated",
      help: "Analyzed sessions to be analyzed again (counted up to 10,000; NaN if the database does not respond)",
      registers: [registry],
    }),
    outdatedPruned: new Gauge({
      name: "playtest_sessions_outdated_pruned",
      help: "Sessions that are analyzed only by older rules, because their events are pruned (counted up to 10,000; NaN if the database does not respond)",
      registers: [registry],
    }),
    outdatedSummaries: new Gauge({
      name: "playtest_summaries_outdated",
      help: "Summaries of builds and testers to be written again (counted up to 10,000; NaN if the database does not respond)",
      registers: [registry],
    }),
  };
  // Start at 0: if a counter first appears with its first event, a rate over it misses that event.
  for (const scope of ["ip", "key"]) metrics.limited.inc({ scope }, 0);
  for (const reason of refusalReasons) metrics.refusals.inc({ reason }, 0);
  for (const result of ["accepted", "duplicate", "rejected"]) metrics.events.inc({ result }, 0);
  for (const kind of ["events", "event_sessions", "sessions"]) metrics.pruned.inc({ kind }, 0);
  for (const result of ["analyzed", "failed", "stopped"]) metrics.analyses.inc({ result }, 0);
  for (const result of ["delivered", "retry", "dropped"]) metrics.deliveries.inc({ result }, 0);
  for (const reason of modelFailureReasons) metrics.modelFailures.inc({ reason, status: "none" }, 0);
  return metrics;
}
