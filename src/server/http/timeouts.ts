/** How long a server waits for slow clients, and how many it lets in: whoever holds a connection for nothing is cut off. */
import type { Server, ServerResponse } from "node:http";

/** How long each part of an exchange may take, ms. */
export interface Timeouts {
  /** Until the headers of a request are there: from the connection, or from the first byte of a further request. */
  readonly headersMs: number;
  /** Until a whole request is there, its body included. */
  readonly requestMs: number;
  /** Between two requests of a connection. */
  readonly idleMs: number;
  /** Until an answer is taken, once all of it is ready. */
  readonly responseMs: number;
  /** How often connections are looked through for headers and requests that are late. */
  readonly checkIntervalMs: number;
}

/**
 * Headers are a packet or two. A body of 1 MiB needs 140 kbit/s to be there in a minute, and an answer likewise. Load
 * balancers commonly let connections idle for 60 s: a server that closes them first has requests fail on the way.
 */
export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 65_000,
  responseMs: 60_000,
  checkIntervalMs: 2000,
};

/** Sets a server's bounds, but `lookMs`, which a server is made with; to be called before it is told who answers. */
export function applyTimeouts(server: Server, timeouts: Timeouts, maxConnections: number): void {
  server.headersTimeout = timeouts.headersMs;
  server.requestTimeout = timeouts.requestMs;
  server.keepAliveTimeout = timeouts.idleMs;
  server.maxConnections = maxConnections;
  // Who comes next finds room, where somebody held a connection without need.
  server.on("drop", () => server.closeIdleConnections());
  for (const asked of ["request", "checkExpectation"])
    server.on(asked, (_request: unknown, response: ServerResponse) => cutOffSlowReader(response, timeouts));
}

/** Ends the connection of an answer that nobody takes: it would be held in memory for good. */
function cutOffSlowReader(response: ServerResponse, { responseMs }: Timeouts): void {
  const { socket } = response;
  let timer: NodeJS.Timeout | undefined;
  response.once("prefinish", () => {
    if (response.writableFinished) return;
    timer = setTimeout(() => socket?.destroy(), responseMs).unref();
  });
  response.once("close", () => clearTimeout(timer));
}
