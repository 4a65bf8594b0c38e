/** Reads server-sent events, and connects again after the last one when a connection ends. */
import type { Endpoint } from "../contract/define.ts";
import { buildPath, type ClientOptions, checkInput } from "./client.ts";
import { ClientError, responseError } from "./errors.ts";
import { attachCall } from "./failed-calls.ts";
import { parseResponse } from "./read-response.ts";

export interface ServerEvent {
  /** The type of the event. */
  readonly name: string;
  readonly data: unknown;
}

/** A connection without even a heartbeat for this long is closed, ms: three heartbeats of the service. */
const SILENCE_MS = 45_000;
/** The wait before the next connection, ms. It doubles while connections fail. */
const RECONNECT_MS = { first: 1000, max: 30_000 } as const;
/** The maximum length of one event in characters. */
const MAX_EVENT_CHARS = 8 * 1024 * 1024;

const transientCodes = new Set(["network", "timeout", "internal", "unavailable", "rate_limited"]);

/** Yields events until the signal fires. Throws if the service refuses the request. */
export async function* readEvents(
  endpoint: Endpoint,
  input: Record<string, unknown>,
  options: ClientOptions & { readonly signal: AbortSignal },
): AsyncGenerator<ServerEvent> {
  const path = buildPath(endpoint, checkInput(endpoint, input));
  const { signal, waiting } = options;
  let lastEventId = "";
  let wait: number = RECONNECT_MS.first;
  while (!signal.aborted) {
    let reason = "The connection ended";
    try {
      for await (const { id, event } of readConnection(path, lastEventId, options)) {
        wait = RECONNECT_MS.first;
        lastEventId = id ?? lastEventId;
        if (event) yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ClientError)) throw error;
      if (!transientCodes.has(error.code)) throw attachCall(error, { endpoint, input });
      reason = error.message;
    }
    if (signal.aborted) return;
    waiting.onWait(reason, wait);
    await waiting.sleep(wait, signal).catch(() => {});
    wait = Math.min(wait * 2, RECONNECT_MS.max);
  }
}

interface Block {
  readonly id: string | null;
  /** Null for a comment. */
  readonly event: ServerEvent | null;
}

/** Yields the blocks of one connection. Their text is handed over chunk by chunk, so a slow consumer slows the service. */
async function* readConnection(
  path: string,
  lastEventId: string,
  { baseUrl, key, transport, signal, userAgent }: ClientOptions,
): AsyncGenerator<Block> {
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const response = await transport({
      method: "GET",
      url: baseUrl + path,
      headers: {
        accept: "text/event-stream",
        ...(userAgent ? { "user-agent": userAgent } : {}),
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(lastEventId === "" ? {} : { "last-event-id": lastEventId }),
      },
      timeoutMs: SILENCE_MS,
      signal: stop.signal,
      streamed: true,
    });
    if (response.status !== 200)
      throw responseError(response.status, parseResponse(response.body), response.headers);
    const isStream = response.headers["content-type"]?.startsWith("text/event-stream");
    if (!response.stream || !isStream)
      throw new ClientError("contract", "The service did not respond with a stream of events");
    yield* readBlocks(response.stream);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    stop.abort();
  }
}

async function* readBlocks(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    if (text.length > MAX_EVENT_CHARS) throw new ClientError("contract", "The service sent an endless event");
    for (const block of blocks) yield parseBlock(block);
  }
}

function parseBlock(block: string): Block {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).replace(/^ /, ""));
  }
  const data = fields.get("data");
  const id = fields.get("id") ?? null;
  return {
    id,
    event: data === undefined ? null : { name: fields.get("event") ?? "", data: parseResponse(data) },
  };
}
