/** Sends one request of a webhook. The address is checked like that of an AI model, and redirects are not followed. */
import { Agent, type Dispatcher, request } from "undici";
import { guardedLookup, RefusedAddress, requireAllowed } from "../shared/allowed-addresses.ts";
import { SendError, type WebhookResponse } from "./response.ts";
import { signHeaders } from "./signature.ts";

/** The longest time of a request until the response is read, ms. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How much of a response is read, in bytes. The rest is dropped, because only the status matters. */
const MAX_RESPONSE_BYTES = 2_000;

export interface WebhookRequest {
  readonly url: string;
  /** The same for every attempt, so that receivers can drop duplicates. */
  readonly id: string;
  readonly body: string;
  /** Each signs the request; none for an unsigned one. */
  readonly secrets: readonly string[];
  /** Further headers, such as those with a token. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SendOptions {
  /** Unix ms. */
  readonly now: number;
  readonly signal?: AbortSignal;
  /** `GET` sends no body (default: POST). */
  readonly method?: "GET" | "POST";
  /** The longest time until the response is read, ms (default: 10 seconds). */
  readonly timeoutMs?: number;
  /** Connections through a proxy, which resolves names itself. */
  readonly dispatcher?: Dispatcher;
}

/** Sends a request once. Throws SendError; the signal's reason if it is aborted. */
export async function sendWebhook(
  { url, id, body, secrets, headers: more = {} }: WebhookRequest,
  { now, signal, method = "POST", timeoutMs = REQUEST_TIMEOUT_MS, dispatcher }: SendOptions,
): Promise<WebhookResponse> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const agent = dispatcher ?? new Agent({ connect: { lookup: guardedLookup, timeout: timeoutMs } });
  try {
    requireAllowed(new URL(url), "webhook URL");
    const response = await request(url, {
      method,
      headers: {
        "content-type": "application/json",
        "user-agent": "playtest",
        ...more,
        ...signHeaders({ id, body }, secrets, now),
      },
      body: method === "GET" ? null : body,
      dispatcher: agent,
      signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
    });
    const { statusCode: status, headers } = response;
    return {
      status,
      text: await readStart(response.body),
      retryAfterMs: readRetryAfter(headers["retry-after"]),
    };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw toSendError(error, deadline, timeoutMs);
  } finally {
    if (!dispatcher) await agent.destroy();
  }
}

/** Reads the start of a body. A body that breaks off is not an error, because the status has arrived. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_RESPONSE_BYTES) break;
    }
  } catch {}
  return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString("utf8");
}

function readRetryAfter(header: string | string[] | undefined): number | null {
  const seconds = Number(header);
  return seconds > 0 && Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : null;
}

function toSendError(error: unknown, deadline: AbortSignal, timeoutMs: number): SendError {
  if (deadline.aborted) {
    const message = `No response within ${timeoutMs / 1000} seconds`;
    return new SendError("timeout", message, error);
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof RefusedAddress) return new SendError("refused_address", cause.message, error);
  }
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const detail = typeof code === "string" ? ` (${code})` : "";
  return new SendError("connection", `Cannot connect${detail}`, error);
}
