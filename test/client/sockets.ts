/** Scripted servers on this machine: of HTTP, of TLS with a certificate nobody trusts, and of proxying. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
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

/** Serves HTTPS with a certificate of its own making; null where there is no openssl to make one. */
export async function serveSelfSigned(listener: RequestListener): Promise<Served | null> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-tls-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert];
  try {
    execFileSync("openssl", [...made, ...subject], { stdio: "ignore" });
  } catch {
    return null;
  }
  const options = { key: readFileSync(key), cert: readFileSync(cert) };
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

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  const { port, close } = await serveHttp(() => {});
  await close();
  return port;
}
