/** The interface for sending requests, implemented by sockets, proxies and an app in the same process. */

export interface TransportRequest {
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Idle timeout for connecting, for the headers and between parts of the body, ms; 0 for none. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Whether to return the body of a response with status 200 as a stream, which the caller reads or aborts. */
  readonly streamed?: true;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Empty if there is a stream. */
  readonly body: string;
  /** The body of a streamed response. It throws a ClientError, or the signal's reason. */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/** Sends one request. Throws ClientError `network` or `timeout`, or the signal's reason. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The maximum size of a response, bytes. Parsed JSON takes many times as much memory. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Yields the chunks of a body, and throws its errors as `wrap` converts them. */
export async function* streamBody(
  body: AsyncIterable<Uint8Array>,
  wrap: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw wrap(error);
  }
}

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
