/** How a request leaves and its answer arrives: one type, for sockets, proxies and an app in the same process alike. */

export interface TransportRequest {
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The longest silence: on connect, before the headers and between parts of the body, ms; 0 for any. */
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

/** An answer larger than this is not read, bytes: what JSON makes of it takes many times as much memory. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
