/** Timeouts for slow clients, and the maximum number of connections. */
import type { Server, ServerResponse } from "node:http";

/** The maximum duration of each part of an exchange, ms. */
export interface Timeouts {
  /** Until the headers are received, from the start of the connection or the first byte of a further request. */
  readonly headersMs: number;
  /** Until the whole request is received, including its body. */
  readonly requestMs: number;
  /** Between two requests of a connection. */
  readonly idleMs: number;
  /** Until the client has received the whole response, after it is ready. */
  readonly responseMs: number;
  /** The interval of the checks for `headersMs` and `requestMs`. */
  readonly checkIntervalMs: number;
}

/**
 * Headers fit into one or two packets. A body or response of 1 MiB within a minute needs 140 kbit/s. Load balancers
 * commonly keep idle connections open for 60 s. If the server closed them first, requests in transit would fail.
 */
export const defaultTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 65_000,
  responseMs: 60_000,
  checkIntervalMs: 2000,
};

/**
 * Applies timeouts to a server, except `checkIntervalMs`, which is an argument of `createServer`. Must be called before
 * other request listeners are added.
 */
export function applyTimeouts(server: Server, timeouts: Timeouts, maxConnections: number): void {
  server.headersTimeout = timeouts.headersMs;
  server.requestTimeout = timeouts.requestMs;
  server.keepAliveTimeout = timeouts.idleMs;
  server.maxConnections = maxConnections;
  // At the maximum number of connections, idle connections are closed so that the next client can connect.
  server.on("drop", () => server.closeIdleConnections());
  for (const eventName of ["request", "checkExpectation"])
    server.on(eventName, (_request: unknown, response: ServerResponse) =>
      cutOffSlowReader(response, timeouts),
    );
}

/** Closes the connection if the client does not read its response, which would remain in memory. */
function cutOffSlowReader(response: ServerResponse, { responseMs }: Timeouts): void {
  const { socket } = response;
  let timer: NodeJS.Timeout | undefined;
  response.once("prefinish", () => {
    if (response.writableFinished) return;
    timer = setTimeout(() => socket?.destroy(), responseMs).unref();
  });
  response.once("close", () => clearTimeout(timer));
}
