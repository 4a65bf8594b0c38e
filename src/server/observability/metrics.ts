/** Prometheus metrics of the service and its process, in a separate registry. */
import { STATUS_CODES } from "node:http";
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { countEventRefusals, refusalReasons } from "../../contract/refusals.ts";
import { deliveryFailures } from "../../webhooks/response.ts";
import { ModelStopped } from "../analysis/provider/faults.ts";
import { modelFailureReasons, noopObserver, type Observer } from "../core/observer.ts";
import { createGauges, type MeasuredService } from "./gauges.ts";

/** The methods that get their own label value. Any other is labeled `other`, because clients may send anything. */
const METHODS = new Set(["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"]);
/** Bucket bounds of request durations, seconds. Most requests take milliseconds, those to an AI model up to a minute. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Bucket bounds of analysis durations, seconds. Rules take milliseconds, an AI model with retries takes minutes. */
const ANALYSIS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

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
  const gauges = createGauges(registry);
  return {
    ...noopObserver,
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
    pruned({ events, sessions, deletedSessions }) {
      metrics.pruned.inc({ kind: "events" }, events);
      metrics.pruned.inc({ kind: "event_sessions" }, sessions);
      metrics.pruned.inc({ kind: "sessions" }, deletedSessions);
    },
    transactionRetried: () => metrics.retries.inc(),
    delivery({ result, failure }) {
      metrics.deliveries.inc({ result });
      if (failure !== null) metrics.deliveryFailures.inc({ failure });
    },
    worked: ({ task, ms }) => metrics.taskSeconds.inc({ task }, ms / 1000),
    modelFailed: ({ reason, status }) => metrics.modelFailures.inc({ reason, status: labelStatus(status) }),
    async scrape(service) {
      await Promise.all(gauges.map((gauge) => gauge.measure(service)));
      return { type: registry.contentType, text: await registry.metrics() };
    },
    stop: () => registry.clear(),
  };
}

/** Returns the name, type and meaning of each metric of the service, without those of its process. */
export function describeMetrics(): { name: string; type: string; help: string }[] {
  const registry = new Registry();
  createMetrics(registry);
  createGauges(registry);
  return registry
    .getMetricsAsArray()
    .map(({ name, type, help }) => ({ name, type: String(type), help }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The label of a provider's status. Statuses that HTTP does not define are one value, because a provider may send any number. */
const labelStatus = (status: number | null): string =>
  status === null ? "none" : status in STATUS_CODES ? String(status) : "other";

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
      "Attempts to send to a webhook by result (delivered, retry or dropped), with events that a full outbox dropped",
      ["result"],
    ),
    deliveryFailures: counter(
      "webhook_failures",
      `Failed attempts to send to a webhook by kind of failure (${deliveryFailures.join(", ")})`,
      ["failure"],
    ),
    modelFailures: counter(
      "model_failures",
      "Failed requests to AI models by reason (declined, invalid, refused, unavailable or timeout) and by the status of the provider (none without an answer)",
      ["reason", "status"],
    ),
    taskSeconds: counter("task_seconds", "Seconds that workers have worked, by task", ["task"]),
  };
  // Start at 0: if a counter first appears with its first event, a rate over it misses that event.
  for (const scope of ["ip", "key"]) metrics.limited.inc({ scope }, 0);
  for (const reason of refusalReasons) metrics.refusals.inc({ reason }, 0);
  for (const result of ["accepted", "duplicate", "rejected"]) metrics.events.inc({ result }, 0);
  for (const kind of ["events", "event_sessions", "sessions"]) metrics.pruned.inc({ kind }, 0);
  for (const result of ["analyzed", "failed", "stopped"]) metrics.analyses.inc({ result }, 0);
  for (const result of ["delivered", "retry", "dropped"]) metrics.deliveries.inc({ result }, 0);
  for (const failure of deliveryFailures) metrics.deliveryFailures.inc({ failure }, 0);
  for (const reason of modelFailureReasons) metrics.modelFailures.inc({ reason, status: "none" }, 0);
  return metrics;
}
