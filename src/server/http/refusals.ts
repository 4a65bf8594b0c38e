/** Refuses what never becomes a request of the app, because it is no sound HTTP, in the shape of every other error. */
import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import { RequestError } from "@hono/node-server";
import { httpErrors } from "../../contract/errors.ts";

const createHeaders = () => ({
  "content-type": "application/json; charset=utf-8",
  "x-request-id": randomUUID(),
});

const toErrorBody = (message: string) => JSON.stringify({ error: message });

/** The answer to a request that the app was never asked, its target or Host being none. */
export function refuseTarget(error: unknown): Response {
  const [status, message]: readonly [number, string] =
    error instanceof RequestError
      ? [400, "The request's target or Host is not valid"]
      : [500, httpErrors.internal.message];
  return new Response(toErrorBody(message), { status, headers: createHeaders() });
}

/** What Node's parser found wrong with the bytes: its code, the status and what is said of it. All else is a 400. */
const parserErrors: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request line and headers are too large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Chunk extensions are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not arrive in time"],
};

/** The status and the words for what Node's parser found wrong. */
export function describeParserError({
  code = "",
}: NodeJS.ErrnoException): readonly [status: number, message: string] {
  return parserErrors[code] ?? [400, "Not a valid HTTP request"];
}

/** A whole answer as bytes, for a connection that is closed behind it. */
export function formatRawResponse(
  status: number,
  message: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const body = toErrorBody(message);
  const headers = {
    ...createHeaders(),
    ...more,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

/** Answers a request of a version of HTTP that is not spoken here. */
export function refuseVersion(outgoing: ServerResponse): void {
  const body = toErrorBody("The version of HTTP must be 1.1 or 1.0");
  const length = String(Buffer.byteLength(body));
  outgoing.writeHead(400, { ...createHeaders(), "content-length": length, connection: "close" }).end(body);
}
