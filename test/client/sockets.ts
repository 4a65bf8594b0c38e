/** Scripted servers on this machine: of HTTP, of TLS with a certificate nobody trusts, of proxying, and a way that can be cut. */
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";

export interface Served {
  readonly port: number;
  /** What was asked for: method and target of every request, a CONNECT's too. */
  readonly seen: string[];
  close(): Promise<void>;
}

async function serve(server: Server, seen: string[]): Promise<Served> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Serves HTTP with a listener. */
export async function serveHttp(listener: RequestListener): Promise<Served> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  return await serve(server, seen);
}

/** Takes connections, and never says a word. */
export async function serveSilence(): Promise<Served> {
  return await serve(createTcpServer() as Server, []);
}

const certificates = join(import.meta.dirname, "certificates");

/** The certificate that `serveSelfSigned` shows, for localhost and 127.0.0.1. */
export const SELF_SIGNED = join(certificates, "localhost.pem");

/** Serves HTTPS with a certificate that nobody vouches for. */
export async function serveSelfSigned(listener: RequestListener): Promise<Served> {
  const key = join(certificates, "localhost-key.pem");
  const options = { key: readFileSync(key), cert: readFileSync(SELF_SIGNED) };
  return await serve(createSecureServer(options, listener) as unknown as Server, []);
}

/** A proxy that tunnels every CONNECT, and every plain request, to one port of this machine. */
export async function serveProxy(target: number): Promise<Served> {
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
    for (const one of [upstream, socket]) one.on("error", () => {});
  });
  return await serve(server, seen);
}

/** A way to a server that can be cut. */
export interface Relay extends Served {
  /** From now on bytes and new connections go nowhere, and nobody is told. */
  cut(): void;
  mend(): void;
}

/** Passes on what comes, both ways, to another server. */
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
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
    },
  };
}

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  const { port, close } = await serveHttp(() => {});
  await close();
  return port;
}
