/** Refuses what never becomes a request of the app, because it is no sound HTTP, in the shape of every other error. */
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { RequestError } from "@hono/node-server";
import { errorKinds } from "../contract/errors.ts";

const headersOf = () => ({
  "content-type": "application/json; charset=utf-8",
  "x-request-id": randomUUID(),
});

const bodyOf = (message: string) => JSON.stringify({ error: message });

/** The answer to a request that the app was never asked, its target or Host being none. */
export function refuseTarget(error: unknown): Response {
  const [status, message]: readonly [number, string] =
    error instanceof RequestError
      ? [400, "The request's target or Host is not valid"]
      : [500, errorKinds.internal.message];
  return new Response(bodyOf(message), { status, headers: headersOf() });
}

/** What Node's parser found wrong with the bytes: its code, the status and what is said of it. All else is a 400. */
const faults: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request line and headers are too large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Chunk extensions are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not arrive in time"],
};

/** How long a refused client has to read its answer and close its side too, ms. */
const LINGER_MS = 1000;

/** Answers bytes that are no HTTP and closes the connection: what follows on it cannot be told apart any more. */
export function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, message] = faults[error.code ?? ""] ?? [400, "Not a valid HTTP request"];
  const body = bodyOf(message);
  const headers = {
    ...headersOf(),
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  // Node's own timeouts watch no connection whose parser gave up: one that stays half open would be held for good.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
