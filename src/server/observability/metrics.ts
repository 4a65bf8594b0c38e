/** Metrics for Prometheus: counts and times of what is watched, and the process's own, in a registry of their own. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { ModelStopped } from "../analysis/provider/faults.ts";
import type { Observer } from "../core/observer.ts";
import { withTimeout } from "../core/with-timeout.ts";
import type { Service } from "../db/service.ts";
import { countDueSessions } from "./queries.ts";

/** How long a scrape waits for the database, ms; Prometheus itself gives up after ten seconds. */
const DATABASE_TIMEOUT_MS = 2000;
/** The methods that are a label; another is `other`, for a client may send any. */
const METHODS = new Set(["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"]);
/** Bounds of the times of requests, seconds: most answer within milliseconds, those that ask a model within a minute. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Bounds of the times of analyses, seconds: rules take milliseconds, a model that is tried again minutes. */
const ANALYSIS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export interface MetricsObserver extends Observer {
  /** What a scrape is answered, and its content type. */
  scrape(service: Service): Promise<{ readonly type: string; readonly text: string }>;
  /** Forgets everything. */
  stop(): void;
}

/** The metrics of one process. Every label is of a fixed set. */
export function startMetrics(): MetricsObserver {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const made = createMetrics(registry);
  return {
    async request(asked, answer) {
      const { endpoint } = asked;
      const method = METHODS.has(asked.method) ? asked.method : "other";
      const tookSeconds = made.requestSeconds.startTimer({ endpoint, method });
      const told = await answer();
      tookSeconds();
      made.requests.inc({ endpoint, method, status: told.response.status });
      if (told.limit !== null) made.limited.inc({ scope: told.limit });
      return told;
    },
    async ingest(commit) {
      const receipt = await commit();
      made.events.inc({ result: "accepted" }, receipt.accepted);
      made.events.inc({ result: "duplicate" }, receipt.duplicates);
      made.events.inc({ result: "rejected" }, receipt.rejected.length);
      return receipt;
    },
    async analysis(_sessionId, analyze) {
      const tookSeconds = made.analysisSeconds.startTimer();
      try {
        await analyze();
        made.analyses.inc({ result: "analyzed" });
      } catch (error) {
        made.analyses.inc({ result: error instanceof ModelStopped ? "stopped" : "failed" });
        throw error;
      } finally {
        tookSeconds();
      }
    },
    transactionRetried: () => made.retries.inc(),
    async scrape(service) {
      const count = withTimeout(DATABASE_TIMEOUT_MS, countDueSessions(service.store.readDb, service.now()));
      // The scrape that tells of a database that does not answer must not fail with it.
      made.due.set(await count.catch(() => Number.NaN));
      return { type: registry.contentType, text: await registry.metrics() };
    },
    stop: () => registry.clear(),
  };
}

function createMetrics(registry: Registry) {
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name: `playtest_${name}_total`, help, labelNames, registers: [registry] });
  const made = {
    requests: counter("http_requests", "Requests answered, by endpoint, method and status", [
      "endpoint",
      "method",
      "status",
    ]),
    requestSeconds: new Histogram({
      name: "playtest_http_request_duration_seconds",
      help: "Time until a request's answer was ready",
      labelNames: ["endpoint", "method"],
      buckets: REQUEST_BUCKETS,
      registers: [registry],
    }),
    limited: counter("limited_requests", "Requests refused by a limit, by its scope", ["scope"]),
    events: counter("events", "Events of telemetry, by what became of them", ["result"]),
    analyses: counter("analyses", "Analyses of sessions, by how they ended", ["result"]),
    analysisSeconds: new Histogram({
      name: "playtest_analysis_duration_seconds",
      help: "Time that the analysis of a session took",
      buckets: ANALYSIS_BUCKETS,
      registers: [registry],
    }),
    retries: counter("database_retries", "Transactions tried again because others were in their way"),
    due: new Gauge({
      name: "playtest_sessions_due",
      help: "Sessions due for analysis, counted up to 10,000; NaN where the database does not answer",
      registers: [registry],
    }),
  };
  // Shown as 0 from the start: a rate over a counter that appears with its first event misses that one.
  for (const scope of ["ip", "key"]) made.limited.inc({ scope }, 0);
  for (const result of ["accepted", "duplicate", "rejected"]) made.events.inc({ result }, 0);
  for (const result of ["analyzed", "failed", "stopped"]) made.analyses.inc({ result }, 0);
  return made;
}
