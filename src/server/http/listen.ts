/** Serves an app over HTTP on a local address. Closing waits for requests in progress. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { ServiceError } from "../core/errors.ts";
import type { App } from "./app.ts";
import { acceptRequest, refuseMalformedRequest, refuseTarget, refuseTunnel } from "./connections.ts";
import { applyTimeouts, defaultTimeouts, type Timeouts } from "./timeouts.ts";

interface ListenOptions {
  readonly host: string;
  /** The port; 0 for any free port. */
  readonly port: number;
  /** How long `close` waits for requests in progress, ms (default: 10,000). */
  readonly drainMs?: number;
  readonly timeouts?: Partial<Timeouts>;
  /** The maximum number of open connections (default: 2,048). */
  readonly maxConnections?: number;
}

export interface ListeningServer {
  /** The base URL for programs on this machine, such as `http://127.0.0.1:4400`. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting requests, waits up to `drainMs` for those in progress, and resolves when all connections are closed. */
  close(): Promise<void>;
}

/** Starts listening. Throws `unusable` if the address is in use or not available on this machine. */
export async function listen(
  app: App,
  { host, port, drainMs = MAX_DRAIN_MS, timeouts, maxConnections = MAX_CONNECTIONS }: ListenOptions,
): Promise<ListeningServer> {
  const handle = getRequestListener(
    (request, env) => {
      const incoming = env.incoming as IncomingMessage;
      return app.fetch(request, { address: incoming.socket.remoteAddress ?? "unknown" });
    },
    { errorHandler: refuseTarget },
  );
  // The app rejects requests without a Host. Node's own rejection would have no JSON body.
  const waits = { ...defaultTimeouts, ...timeouts };
  const server = createServer({
    requireHostHeader: false,
    connectionsCheckingInterval: waits.checkIntervalMs,
  });
  applyTimeouts(server, waits, maxConnections);
  // Node silently drops headers above a maximum number. Their total size is limited anyway.
  server.maxHeadersCount = 0;
  // Requests with an unknown Expect header are handled like others.
  for (const eventName of ["request", "checkExpectation"])
    server.on(eventName, (incoming: IncomingMessage, outgoing: ServerResponse) => {
      if (acceptRequest(incoming, outgoing)) void handle(incoming, outgoing);
    });
  server.on("clientError", refuseMalformedRequest);
  server.on("connect", refuseTunnel);
  const sockets = trackSockets(server);
  await bind(server, host, port);
  const address = server.address();
  const bound = typeof address === "object" && address ? address : { address: host, port };
  return {
    port: bound.port,
    url: formatLocalUrl(host, bound),
    close: () => drain(server, sockets, drainMs),
  };
}

/** The loopback address to use instead of each address that means all addresses of this machine. */
const loopbackOfAll = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/**
 * The URL that programs on this machine use for a server. It is a loopback URL if the server listens on all
 * addresses, because commands refuse to send keys unencrypted to any other. `bound` is the address and port that the
 * operating system assigned.
 */
export function formatLocalUrl(
  host: string,
  bound: { readonly address: string; readonly port: number },
): string {
  const local = loopbackOfAll.get(bound.address) ?? host;
  return `http://${local.includes(":") ? `[${local}]` : local}:${bound.port}`;
}

/** The default maximum of connections, enough for the players and tools of a studio. Each takes about 20 kB of memory. */
export const MAX_CONNECTIONS = 2048;
/** How often a closing server closes idle connections, ms. */
const DRAIN_POLL_MS = 20;
/** The default time for requests in progress, ms. A request whose body never arrives must not block the shutdown. */
const MAX_DRAIN_MS = 10_000;

async function drain(server: Server, sockets: ReadonlySet<Socket>, maxMs: number): Promise<void> {
  const poll = setInterval(() => {
    server.closeIdleConnections();
    // Node does not count a connection without any request as idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, DRAIN_POLL_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), maxMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(poll);
  clearTimeout(deadline);
}

/** Returns the set of open connections, which is kept up to date. */
function trackSockets(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return open;
}

/** Throws `unusable` if an address cannot be listened on, before a slow preparation. */
export async function requireFreeAddress(host: string, port: number): Promise<void> {
  const server = createServer();
  await bind(server, host, port);
  await new Promise((resolve) => server.close(resolve));
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const { reason, hint } = describeListenError(error, port);
      reject(
        new ServiceError("unusable", {
          message: `Cannot listen on ${host}:${port}: ${reason}`,
          hint,
          cause: error,
        }),
      );
    });
    server.listen(port, host, resolve);
  });
}

/** Explains why an address cannot be listened on, and what to do. */
export function describeListenError({ code, message }: NodeJS.ErrnoException, port: number) {
  switch (code) {
    case "EADDRINUSE":
      return {
        reason: `port ${port} is in use`,
        hint: "Use another port with --port, or any free port with --port 0.",
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { reason: "unknown host name", hint: "Check --host." };
    case "EADDRNOTAVAIL":
      return { reason: "this machine does not have this address", hint: "Check --host." };
    default:
      return { reason: message, hint: "Check --host and --port." };
  }
}
