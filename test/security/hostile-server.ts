/** A server that sends raw bytes from a script, and records all requests. */
import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Hostile {
  readonly port: number;
  readonly url: string;
  /** All received bytes, in their order. */
  readonly received: () => string;
  /** The number of requests. */
  readonly requests: () => number;
}

/** Handles the nth request (from 0), after its headers were received. */
export type Behaviour = (socket: Socket, target: string, nth: number) => void;

/** Starts a server on loopback that stops at the end of the test. */
export async function hostile(behave: Behaviour): Promise<Hostile> {
  let received = "";
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    let head = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      head += chunk.toString("latin1");
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const [, target = ""] = head.split(" ");
      head = "";
      requests += 1;
      behave(socket, target, requests - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    received: () => received,
    requests: () => requests,
  };
}

/** Formats a complete HTTP response. Header lines are not changed. */
export function answerOf(body: string | Uint8Array, head = "HTTP/1.1 200 OK\r\n"): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`${head}content-length: ${bytes.length}\r\n\r\n`, "latin1"), bytes]);
}

/** Writes the same bytes repeatedly, as fast as the client reads them, until it disconnects. */
export function flood(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", more);
  more();
}
