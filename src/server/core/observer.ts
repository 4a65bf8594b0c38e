/** What the service tells those who watch it: requests, commits of telemetry, analyses, and transactions tried again. */
import type { TelemetryReceipt } from "../../contract/telemetry.ts";

/** A request, as those who watch may know it. */
export interface RequestInfo {
  /** The X-Request-Id of its answer. */
  readonly requestId: string;
  readonly method: string;
  /** The path without its query, as `redactKeys` shows it: the client's words. */
  readonly path: string;
  /** The client's address, as `redactKeys` shows it: behind a proxy it is what that sends. */
  readonly address: string;
  /** What was asked for, of a fixed set of names: an endpoint's, one of the service's own, or `unknown`. */
  readonly endpoint: string;
  /** The path's pattern, such as `/api/v1/games/{id}`; null where the endpoint is `unknown`. */
  readonly pattern: string | null;
  /** A header of the request; null where it has none of the name. */
  header(name: string): string | null;
}

/** What became of a request. */
export interface RequestOutcome {
  readonly response: Response;
  /** Bytes of the body; null for a stream. */
  readonly bytes: number | null;
  /** The scope of the limit that refused it; null where none did. */
  readonly limit: "ip" | "key" | null;
}

/**
 * Watches a service. Each of the first three runs what it is given, once, and hands on what that answers or throws: so
 * it sees how long it took, and what happens within is its child. It throws nothing of its own.
 */
export interface Observer {
  request(asked: RequestInfo, answer: () => Promise<RequestOutcome>): Promise<RequestOutcome>;
  /** Stores a body of telemetry. */
  ingest(commit: () => Promise<TelemetryReceipt>): Promise<TelemetryReceipt>;
  /** Analyses one session. */
  analysis(sessionId: string, analyze: () => Promise<void>): Promise<void>;
  /** A transaction of the database is tried again, others having been in its way. */
  transactionRetried(): void;
}

/** Watches nothing. */
export const noopObserver: Observer = {
  request: (_asked, answer) => answer(),
  ingest: (commit) => commit(),
  analysis: (_sessionId, analyze) => analyze(),
  transactionRetried: () => {},
};

/** Several as one, the first outermost. */
export function combineObservers([first, ...rest]: readonly Observer[]): Observer {
  if (!first) return noopObserver;
  if (rest.length === 0) return first;
  const inner = combineObservers(rest);
  return {
    request: (asked, answer) => first.request(asked, () => inner.request(asked, answer)),
    ingest: (commit) => first.ingest(() => inner.ingest(commit)),
    analysis: (id, analyze) => first.analysis(id, () => inner.analysis(id, analyze)),
    transactionRetried() {
      first.transactionRetried();
      inner.transactionRetried();
    },
  };
}
