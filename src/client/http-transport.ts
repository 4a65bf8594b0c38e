/** Requests over node:http and node:https, which load faster than undici. */
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { deadlineError, toClientError } from "./network-errors.ts";
import { readText } from "./read-response.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

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
        readResponse(incoming, request, outgoing).then(resolve, fail);
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
    if (stop) signal?.removeEventListener("abort", stop);
  }
};

function buildRequestOptions({ method, headers, body }: TransportRequest): RequestOptions {
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return { method, headers: { ...headers, ...length }, agent: false };
}

async function readResponse(
  incoming: IncomingMessage,
  { url }: TransportRequest,
  outgoing: ClientRequest,
): Promise<TransportResponse> {
  const body = await readText(incoming as AsyncIterable<Uint8Array>, url).finally(() => outgoing.destroy());
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
  return { status: incoming.statusCode ?? 0, headers, body };
}
