/** Requests over node:http and node:https, which load faster than undici. */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { deadlineError, toClientError } from "./network-errors.ts";
import { readText } from "./read-response.ts";
import { streamBody, type Transport, type TransportRequest, type TransportResponse } from "./transport.ts";

/** Sends each request on its own connection. */
export const httpTransport: Transport = async (request) => {
  const secure = request.url.startsWith("https:");
  const { request: open } = secure ? await import("node:https") : await import("node:http");
  const { signal } = request;
  signal?.throwIfAborted();
  let stop: (() => void) | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const fail = (error: unknown) =>
        reject(signal?.aborted ? signal.reason : toClientError(error, request.url));
      const outgoing = open(request.url, buildRequestOptions(request), (incoming) => {
        if (request.streamed && incoming.statusCode === 200)
          resolve(streamResponse(incoming, request, outgoing));
        else readResponse(incoming, request, outgoing).then(resolve, fail);
      });
      // Node's `signal` option would load many stream modules before the request is sent.
      stop = () => outgoing.destroy(signal?.reason);
      signal?.addEventListener("abort", stop);
      outgoing.setTimeout(request.timeoutMs, () =>
        outgoing.destroy(deadlineError(request.url, request.timeoutMs)),
      );
      outgoing.on("error", fail);
      outgoing.end(request.body);
    });
  } finally {
    if (stop && !request.streamed) signal?.removeEventListener("abort", stop);
  }
};

function buildRequestOptions({ method, headers, body }: TransportRequest): RequestOptions {
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return { method, headers: { ...headers, ...length }, agent: false };
}

/** A response whose body is still open. Aborting the signal closes the connection. */
function streamResponse(
  incoming: IncomingMessage,
  { url, signal }: TransportRequest,
  outgoing: ClientRequest,
): TransportResponse {
  signal?.addEventListener("abort", () => incoming.destroy(), { once: true });
  outgoing.on("error", (error) => incoming.destroy(error));
  const wrap = (error: unknown) => (signal?.aborted ? signal.reason : toClientError(error, url));
  return {
    status: incoming.statusCode ?? 0,
    headers: readHeaders(incoming),
    body: "",
    stream: streamBody(incoming as AsyncIterable<Uint8Array>, wrap),
  };
}

async function readResponse(
  incoming: IncomingMessage,
  { url }: TransportRequest,
  outgoing: ClientRequest,
): Promise<TransportResponse> {
  const body = await readText(incoming as AsyncIterable<Uint8Array>, url).finally(() => outgoing.destroy());
  return { status: incoming.statusCode ?? 0, headers: readHeaders(incoming), body };
}

function readHeaders(incoming: IncomingMessage): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
  return headers;
}
