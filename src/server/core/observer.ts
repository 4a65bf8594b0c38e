/** The interface for metrics, logs and traces to observe requests, telemetry, analyses and transaction retries. */
import type { RefusalReason } from "../../contract/refusals.ts";
import type { TelemetryReceipt } from "../../contract/telemetry.ts";
import type { DeliveryFailure } from "../../webhooks/response.ts";

/** A request without its secrets. */
export interface RequestInfo {
  /** The X-Request-Id of the response. */
  readonly requestId: string;
  readonly method: string;
  /** The path without the query, keys and names of people (`LogNames`). It is untrusted text. */
  readonly path: string;
  /** The keyed hash of the network of the client, which is the same for one UTC day. */
  readonly address: string;
  /** One of a fixed set of names: an endpoint, a system endpoint, `console` or `unknown`. */
  readonly endpoint: string;
  /** The pattern of the path, such as `/api/v1/games/{id}`; null if the endpoint is `console` or `unknown`. */
  readonly pattern: string | null;
  /** Returns a header of the request, or null. */
  header(name: string): string | null;
}

export interface RequestOutcome {
  readonly response: Response;
  /** The size of the body; null for a stream. */
  readonly bytes: number | null;
  /** The scope of the rate limit that rejected the request, or null. */
  readonly limit: "ip" | "key" | null;
  /** Why telemetry was refused, or null. */
  readonly refusal: RefusalReason | null;
}

/** Numbers of repeated analyses. */
export interface ReanalysisCounts {
  readonly done: number;
  /** Counted up to 10,000. */
  readonly remaining: number;
}

/** Numbers of what a run of pruning removed. */
export interface PruneCounts {
  /** Sessions whose events were removed. */
  readonly sessions: number;
  readonly events: number;
  /** The size of the stored events. */
  readonly bytes: number;
  /** Sessions that were deleted completely. */
  readonly deletedSessions: number;
}

/** One attempt to send an event to a webhook, or an event that was dropped without one. */
export interface DeliveryInfo {
  readonly webhookId: string;
  readonly deliveryId: string;
  /** The name of the event. */
  readonly type: string;
  /** Counts from 1; 0 without an attempt. */
  readonly attempt: number;
  /** `retry` if the event is sent again later, `dropped` if it is given up. */
  readonly result: "delivered" | "retry" | "dropped";
  /** The status of the response; null without one. */
  readonly status: number | null;
  /** The kind of failure, and why the event was not accepted; null if it was. The kind is also null without an attempt. */
  readonly failure: DeliveryFailure | null;
  readonly error: string | null;
  readonly ms: number;
}

/** Why a request to an AI model failed, as far as it is reported. */
export const modelFailureReasons = ["declined", "invalid", "refused", "unavailable", "timeout"] as const;

/** A failed request to the AI model of an account, after its retries. */
export interface ModelFailure {
  readonly accountId: string;
  readonly reason: (typeof modelFailureReasons)[number];
  /** The error status that the provider answered with; null without one. */
  readonly status: number | null;
  /** The failure in words. It may contain text of the model. */
  readonly error: string;
}

/** A task that a worker, or the process of the service itself, has run. */
export interface WorkedTask {
  readonly task: string;
  readonly ms: number;
}

/**
 * Observes a service. `request`, `ingest` and `analysis` must call their callback exactly once and return its result or
 * throw its error. Around the callback, they can measure time and open a span. They must not throw other errors.
 */
export interface Observer {
  request(info: RequestInfo, respond: () => Promise<RequestOutcome>): Promise<RequestOutcome>;
  /** Stores the events of one telemetry request. */
  ingest(commit: () => Promise<TelemetryReceipt>): Promise<TelemetryReceipt>;
  /** Analyzes one session. */
  analysis(sessionId: string, analyze: () => Promise<void>): Promise<void>;
  /** Finished analyses were repeated: how many since the last call, and how many are left. */
  reanalysis(progress: ReanalysisCounts): void;
  /** A run of pruning has removed something. */
  pruned(removed: PruneCounts): void;
  /** A database transaction is retried because of a conflict with another one. */
  transactionRetried(): void;
  /** An attempt to send an event to a webhook has ended, or it was dropped without one. */
  delivery(info: DeliveryInfo): void;
  /** A task has ended, however it ended. */
  worked(task: WorkedTask): void;
  /** A request to the AI model of an account has failed. */
  modelFailed(failure: ModelFailure): void;
}

export const noopObserver: Observer = {
  request: (_info, respond) => respond(),
  ingest: (commit) => commit(),
  analysis: (_sessionId, analyze) => analyze(),
  reanalysis: () => {},
  pruned: () => {},
  transactionRetried: () => {},
  delivery: () => {},
  worked: () => {},
  modelFailed: () => {},
};

/** Combines observers. The first one is outermost. */
export function combineObservers([first, ...rest]: readonly Observer[]): Observer {
  if (!first) return noopObserver;
  if (rest.length === 0) return first;
  const inner = combineObservers(rest);
  const both =
    <A extends readonly unknown[]>(one: (...args: A) => void, other: (...args: A) => void) =>
    (...args: A) => {
      one(...args);
      other(...args);
    };
  return {
    request: (info, respond) => first.request(info, () => inner.request(info, respond)),
    ingest: (commit) => first.ingest(() => inner.ingest(commit)),
    analysis: (id, analyze) => first.analysis(id, () => inner.analysis(id, analyze)),
    reanalysis: both(first.reanalysis, inner.reanalysis),
    pruned: both(first.pruned, inner.pruned),
    transactionRetried: both(first.transactionRetried, inner.transactionRetried),
    delivery: both(first.delivery, inner.delivery),
    worked: both(first.worked, inner.worked),
    modelFailed: both(first.modelFailed, inner.modelFailed),
  };
}
