/** Responses to invalid HTTP requests, which never reach the app. They have the same form as all other errors. */
import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import { RequestError } from "@hono/node-server";
import { httpErrors } from "../../contract/errors.ts";

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
export function describeParserError({
  code = "",
}: NodeJS.ErrnoException): readonly [status: number, message: string] {
  return parserErrors[code] ?? [400, "Not a valid HTTP request"];
}

/** Formats a complete response, for a connection that is closed afterwards. */
export function formatRawResponse(
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
export function refuseVersion(outgoing: ServerResponse): void {
  const body = toErrorBody("The HTTP version must be 1.0 or 1.1");
  const length = String(Buffer.byteLength(body));
  outgoing.writeHead(400, { ...createHeaders(), "content-length": length, connection: "close" }).end(body);
}
