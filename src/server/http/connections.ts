/** Tracks the requests of each connection, so that invalid HTTP is rejected once, after the responses to earlier requests. */

import { randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { RequestError } from "@hono/node-server";
import { httpErrors } from "../../contract/errors.ts";

/** The requests of one connection. */
interface ConnectionState {
  /** The latest request. */
  last: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse } | null;
  /** Responses that are not completely sent, in the order of their requests. */
  readonly open: Set<ServerResponse>;
  /** Whether the latest request is the last request of the connection. */
  isEnding: boolean;
  /** Whether all further input is ignored. */
  isRefused: boolean;
}

const connections = new WeakMap<Duplex, ConnectionState>();

function getConnectionState(socket: Duplex): ConnectionState {
  const existing = connections.get(socket);
  if (existing) return existing;
  const state: ConnectionState = { last: null, open: new Set(), isEnding: false, isRefused: false };
  connections.set(socket, state);
  return state;
}

/**
 * Registers a request until its response is sent. Returns false if the request must not be handled: either it has an
 * unsupported HTTP version, which is rejected here, or it follows the last request of the connection.
 */
export function acceptRequest(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  const connection = getConnectionState(incoming.socket);
  if (connection.isRefused || connection.isEnding) return false;
  connection.last = { incoming, outgoing };
  connection.open.add(outgoing);
  outgoing.once("close", () => connection.open.delete(outgoing));
  // After an ignored upgrade, Node's parser ignores all further requests, so the connection must close.
  connection.isEnding = requestsUpgrade(incoming.headers);
  if (connection.isEnding) outgoing.shouldKeepAlive = false;
  if (incoming.httpVersion === "1.1" || incoming.httpVersion === "1.0") return true;
  connection.isRefused = true;
  refuseVersion(outgoing);
  return false;
}

const requestsUpgrade = ({ upgrade, connection = "" }: IncomingMessage["headers"]) =>
  upgrade !== undefined && /\bupgrade\b/i.test(connection);

/** How long a rejected client may take to read its response and close the connection, ms. */
const LINGER_MS = 1000;

/**
 * Responds to invalid HTTP and closes the connection, because the start of a next request cannot be found. Responses to
 * earlier requests are sent first. If the invalid bytes belong to a request that already has a response, no other
 * response is sent.
 */
export function refuseMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  const connection = getConnectionState(socket);
  // The bytes follow the last request of the connection, whose response closes it anyway.
  const { last, isEnding, isRefused } = connection;
  if (error.code === "HPE_CLOSED_CONNECTION" || isRefused || (isEnding && last?.incoming.complete)) return;
  const broken = last && !last.incoming.complete ? last.outgoing : null;
  if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
  else endConnection(formatRawResponse(...describeParserError(error)), socket, broken);
}

/** Rejects a CONNECT request. */
export function refuseTunnel(_incoming: IncomingMessage, socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  endConnection(
    formatRawResponse(405, "Method not allowed", { allow: "GET, HEAD, POST, DELETE, OPTIONS" }),
    socket,
    null,
  );
}

/**
 * Sends the last bytes of a connection after all other open responses. `rejected` is the request that the bytes respond
 * to, if there is one; they are not sent if it already has a response.
 */
function endConnection(bytes: string, socket: Duplex, rejected: ServerResponse | null): void {
  const connection = getConnectionState(socket);
  connection.isRefused = true;
  const earlier = [...connection.open].filter((outgoing) => outgoing !== rejected);
  const end = () => {
    if (rejected?.headersSent && !rejected.writableEnded) {
      socket.destroy();
      return;
    }
    socket.end(rejected?.headersSent ? "" : bytes);
    // Node's timeouts do not apply after a parser error, so a half-open connection would never be closed.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
  let remaining = earlier.length;
  if (remaining === 0) end();
  for (const outgoing of earlier)
    outgoing.once("close", () => {
      remaining -= 1;
      if (remaining === 0) end();
    });
}

const createHeaders = () => ({
  "content-type": "application/json; charset=utf-8",
  "x-request-id": randomUUID(),
});

const toErrorBody = (message: string) => JSON.stringify({ error: message });

/** Creates the response to a request with an invalid target or Host. */
export function refuseTarget(error: unknown): Response {
  const [status, message]: readonly [number, string] =
    error instanceof RequestError
      ? [400, "The request target or the Host header is not valid"]
      : [500, httpErrors.internal.message];
  return new Response(toErrorBody(message), { status, headers: createHeaders() });
}

/** Statuses and messages of Node's parser errors by code. All other codes are a 400. */
const parserErrors: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The request line and headers are too large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "The chunk extensions are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not arrive in time"],
};

/** Returns the status and message of a parser error. */
function describeParserError({
  code = "",
}: NodeJS.ErrnoException): readonly [status: number, message: string] {
  return parserErrors[code] ?? [400, "Not a valid HTTP request"];
}

/** Formats a complete response, for a connection that is closed afterwards. */
function formatRawResponse(
  status: number,
  message: string,
  extraHeaders: Readonly<Record<string, string>> = {},
): string {
  const body = toErrorBody(message);
  const headers = {
    ...createHeaders(),
    ...extraHeaders,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

/** Rejects a request with an unsupported HTTP version. */
function refuseVersion(outgoing: ServerResponse): void {
  const body = toErrorBody("The HTTP version must be 1.0 or 1.1");
  const length = String(Buffer.byteLength(body));
  outgoing.writeHead(400, { ...createHeaders(), "content-length": length, connection: "close" }).end(body);
}
