/** Sends one request of a webhook. The address is checked like that of an AI model, and redirects are not followed. */
import { Agent, type Dispatcher, request } from "undici";
import { guardedLookup, RefusedAddress, requireAllowed } from "../shared/allowed-addresses.ts";
import { signHeaders } from "./signature.ts";

/** The longest time of a request until the response is read, ms. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** How much of a response is read, in bytes. The rest is dropped, because only the status matters. */
const MAX_RESPONSE_BYTES = 2_000;

export interface WebhookRequest {
  readonly url: string;
  /** The same for every attempt, so that receivers can drop duplicates. */
  readonly id: string;
  readonly body: string;
  /** Null for an unsigned request. */
  readonly secret: string | null;
}

export interface SendOptions {
  /** Unix ms. */
  readonly now: number;
  readonly signal?: AbortSignal;
  /** Connections through a proxy, which resolves names itself. */
  readonly dispatcher?: Dispatcher;
}

export interface WebhookResponse {
  readonly status: number;
  /** The start of the body. It is untrusted text. */
  readonly text: string;
  /** The wait that the receiver asks for, in ms, or null. */
  readonly retryAfterMs: number | null;
}

/** Why no response arrived. */
export type SendFault = "refused_address" | "timeout" | "connection";

/** A request without a response. The message does not contain the URL, which may contain a secret. */
export class SendError extends Error {
  override readonly name = "SendError";
  readonly fault: SendFault;

  constructor(fault: SendFault, message: string, cause: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** Whether the receiver accepted the request. */
export const isAccepted = ({ status }: WebhookResponse) => status >= 200 && status < 300;

/** Sends a request once. Throws SendError; the signal's reason if it is aborted. */
export async function sendWebhook(
  { url, id, body, secret }: WebhookRequest,
  { now, signal, dispatcher }: SendOptions,
): Promise<WebhookResponse> {
  const deadline = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const agent = dispatcher ?? new Agent({ connect: { lookup: guardedLookup, timeout: REQUEST_TIMEOUT_MS } });
  try {
    requireAllowed(new URL(url), "webhook URL");
    const response = await request(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "playtest",
        ...signHeaders({ id, body }, secret, now),
      },
      body,
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
    throw toSendError(error, deadline);
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

function toSendError(error: unknown, deadline: AbortSignal): SendError {
  if (deadline.aborted) {
    const message = `No response within ${REQUEST_TIMEOUT_MS / 1000} seconds`;
    return new SendError("timeout", message, error);
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof RefusedAddress) return new SendError("refused_address", cause.message, error);
  }
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const detail = typeof code === "string" ? ` (${code})` : "";
  return new SendError("connection", `Cannot connect${detail}`, error);
}
