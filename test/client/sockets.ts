/** Local test servers: HTTP, TLS with a self-signed certificate, proxies, and relays that can be interrupted. */
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";

export interface TestListener {
  readonly port: number;
  /** The method and target of every request, including CONNECT. */
  readonly requests: string[];
  close(): Promise<void>;
}

async function serve(server: Server, requests: string[]): Promise<TestListener> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Starts an HTTP server. */
export async function serveHttp(listener: RequestListener): Promise<TestListener> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  return await serve(server, seen);
}

/** Starts a server that accepts connections and never sends anything. */
export async function serveSilence(): Promise<TestListener> {
  return await serve(createTcpServer() as Server, []);
}

const certificates = join(import.meta.dirname, "certificates");

/** The certificate of `serveSelfSigned`, for localhost and 127.0.0.1. */
export const SELF_SIGNED = join(certificates, "localhost.pem");

/** Certificates for localhost that expired in 2021, and for the host other.test. */
export const EXPIRED = join(certificates, "expired.pem");
export const OTHER_HOST = join(certificates, "other-host.pem");

/** Starts an HTTPS server with a self-signed certificate. */
export async function serveSelfSigned(
  listener: RequestListener,
  certificate = SELF_SIGNED,
): Promise<TestListener> {
  const key = join(certificates, "localhost-key.pem");
  const options = { key: readFileSync(key), cert: readFileSync(certificate) };
  return await serve(createSecureServer(options, listener) as unknown as Server, []);
}

/** Starts a proxy that tunnels every CONNECT to one local port, and responds to plain requests itself. */
export async function serveProxy(target: number): Promise<TestListener> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end(JSON.stringify({ by: "proxy" }));
  });
  server.on("connect", (request, socket: Socket, head: Buffer) => {
    seen.push(`CONNECT ${request.url}`);
    const upstream = connect(target, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on("error", () => {});
  });
  return await serve(server, seen);
}

/** A relay to a server that can be interrupted. */
export interface Relay extends TestListener {
  /** Drops all bytes silently from now on. */
  interrupt(): void;
  restore(): void;
}

/** Starts a relay that forwards bytes in both directions. */
export async function serveRelay({ hostname, port }: Pick<URL, "hostname" | "port">): Promise<Relay> {
  let isCut = false;
  const relay = createTcpServer((near) => {
    const far = connect(Number(port), hostname).on("error", () => {});
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (bytes) => {
        if (!isCut) to.write(bytes);
      });
      from.on("close", () => to.destroy());
    }
  });
  const served = await serve(relay as Server, []);
  return {
    ...served,
    interrupt() {
      isCut = true;
    },
    restore() {
      isCut = false;
    },
  };
}

/** A local port without a listener. */
export async function freePort(): Promise<number> {
  const { port, close } = await serveHttp(() => {});
  await close();
  return port;
}
