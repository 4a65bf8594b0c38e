/** Serves an app over HTTP on a local address, and stops only when what was begun is answered. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { ServiceError } from "../core/errors.ts";
import type { App } from "./app.ts";
import { acceptRequest, refuseMalformedRequest, refuseTunnel } from "./connections.ts";
import { refuseTarget } from "./refusals.ts";
import { applyTimeouts, defaultTimeouts, type Timeouts } from "./timeouts.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** How long a stop waits for requests that were begun, ms; ten seconds unless told. */
  readonly drainMs?: number;
  readonly timeouts?: Partial<Timeouts>;
  /** How many connections may be open; 2,048 unless told. */
  readonly maxConnections?: number;
}

export interface ListeningServer {
  /** Where it listens, such as `http://127.0.0.1:4400`. */
  readonly url: string;
  readonly port: number;
  /** Takes no new requests, finishes those at hand within drainMs, and resolves when every connection is closed. */
  close(): Promise<void>;
}

/** Listens. Throws `unusable` where the address is taken or not this machine's, naming it and the way out. */
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
  // A request without a Host comes to the same refusal as one whose Host is none: Node's own has no body.
  const waits = { ...defaultTimeouts, ...timeouts };
  const server = createServer({
    requireHostHeader: false,
    connectionsCheckingInterval: waits.checkIntervalMs,
  });
  applyTimeouts(server, waits, maxConnections);
  // Their size bounds them: by number Node leaves some out, and a request would be read without them.
  server.maxHeadersCount = 0;
  // What a client expects that nobody can fulfil is no reason to refuse it.
  for (const asked of ["request", "checkExpectation"])
    server.on(asked, (incoming: IncomingMessage, outgoing: ServerResponse) => {
      if (acceptRequest(incoming, outgoing)) void handle(incoming, outgoing);
    });
  server.on("clientError", refuseMalformedRequest);
  server.on("connect", refuseTunnel);
  const sockets = trackSockets(server);
  await bind(server, host, port);
  const address = server.address();
  const bound = typeof address === "object" && address ? address.port : port;
  return {
    port: bound,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: () => drain(server, sockets, drainMs),
  };
}

/** More than a studio's players and tools hold at once; each takes some 20 kB. Behind a proxy, the proxy's are all there are. */
const MAX_CONNECTIONS = 2048;
/** How often a stopping server looks for connections that fell idle, ms. */
const DRAIN_POLL_MS = 20;
/** How long a stopping server waits for requests that were begun: one whose body never comes must not hold it, ms. */
const MAX_DRAIN_MS = 10_000;

async function drain(server: Server, sockets: ReadonlySet<Socket>, mostMs: number): Promise<void> {
  const look = setInterval(() => {
    server.closeIdleConnections();
    // Node counts a connection that has not asked for anything yet as busy.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, DRAIN_POLL_MS);
  const giveUp = setTimeout(() => server.closeAllConnections(), mostMs);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(look);
  clearTimeout(giveUp);
}

/** The connections of a server that are open at any time. */
function trackSockets(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return open;
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const inUse = error.code === "EADDRINUSE";
      const why = inUse ? `port ${port} is in use` : error.message;
      const hint = inUse
        ? "Choose another with --port, or --port 0 for any that is free."
        : "Check --host and --port.";
      reject(
        new ServiceError("unusable", {
          message: `Cannot listen on ${host}:${port}: ${why}`,
          hint,
          cause: error,
        }),
      );
    });
    server.listen(port, host, resolve);
  });
}
