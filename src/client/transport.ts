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
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** Sends one request. Throws ClientError `network` or `timeout`, or the signal's reason. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The maximum size of a response, bytes. Parsed JSON takes many times as much memory. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
