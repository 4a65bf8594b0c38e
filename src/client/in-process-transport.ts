/** A transport to a service in the same process. */
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

/** The base URL of in-process requests. The service always accepts loopback hosts. */
export const IN_PROCESS_URL = "http://127.0.0.1";

/** A transport into this process. An aborted request rejects at once; its response is discarded. */
export function createInProcessTransport(fetch: (request: Request) => Promise<Response>): Transport {
  return async (request) => {
    const { signal } = request;
    signal?.throwIfAborted();
    return await Promise.race([send(fetch, request), ...(signal ? [rejectOnAbort(signal)] : [])]);
  };
}

async function send(
  fetch: (request: Request) => Promise<Response>,
  { method, url, headers, body, signal }: TransportRequest,
): Promise<TransportResponse> {
  const request = new Request(url, {
    method,
    headers,
    ...(typeof body === "string" ? { body } : {}),
    ...(signal ? { signal } : {}),
  });
  const response = await fetch(request);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
