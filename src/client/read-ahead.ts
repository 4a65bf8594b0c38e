/** Requests the next page of a list while the client still parses a page, so that the service need not wait for it. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { DEADLINE_FACTOR } from "./deadline.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

/** How many characters at the end of a page are searched for its `next`. */
const TAIL_LENGTH = 1000;
const NEXT_START = '"next":';
const NEXT_CURSOR = /^"([\w-]+)"/;
const CURSOR = /[?&]cursor=[\w-]*$/;

interface ReadAheadOptions {
  /** Whether the pages of a URL are read to the end. */
  isRead(url: string): boolean;
  /** Ends a request whose page nobody waits for. */
  readonly signal: AbortSignal;
}

/**
 * Sends the request for the next page as soon as a page has arrived, and returns its response when the client requests that
 * page. At most one page is requested ahead. The client still validates each page and its cursor: a request that it never
 * sends only costs one response.
 */
export function readAhead(send: Transport, { isRead, signal }: ReadAheadOptions): Transport {
  let ahead: { readonly url: string; readonly response: Promise<TransportResponse> } | null = null;
  const start = (request: TransportRequest, url: string) => {
    const limit = request.timeoutMs > 0 ? [AbortSignal.timeout(request.timeoutMs * DEADLINE_FACTOR)] : [];
    const response = send({ ...request, url, signal: AbortSignal.any([signal, ...limit]) });
    // An error is thrown when the client requests the page.
    response.catch(() => {});
    ahead = { url, response };
  };
  return async (request) => {
    if (!isRead(request.url)) return await send(request);
    const known = ahead?.url === request.url ? ahead.response : null;
    ahead = null;
    const response = await (known === null ? send(request) : untilAborted(known, request.signal));
    const url = response.status === 200 ? findNextUrl(request.url, response.body) : null;
    if (url !== null) {
      start(request, url);
      // The request is written before the page is parsed, which blocks the thread.
      await nextTurn();
    }
    return response;
  };
}

/** Whether text has objects or lists. The `next` of an event's data would be followed by those of other events. */
const hasItems = (text: string): boolean => text.includes("{") || text.includes("[");

/** The URL of the next page; null if the end of the body does not name it. */
function findNextUrl(url: string, body: string): string | null {
  const tail = body.slice(-TAIL_LENGTH);
  const at = tail.lastIndexOf(NEXT_START);
  const end = tail.slice(at + NEXT_START.length);
  const cursor = at < 0 || hasItems(end) ? undefined : NEXT_CURSOR.exec(end)?.[1];
  if (cursor === undefined) return null;
  const base = url.replace(CURSOR, "");
  return `${base}${base.includes("?") ? "&" : "?"}cursor=${cursor}`;
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return await work;
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
