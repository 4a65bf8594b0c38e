/** A transport that returns scripted responses and records the requests. */
import type { Transport, TransportRequest } from "../../src/client/transport.ts";
import { EXTENSIONS_HEADER, formatExtensions } from "../../src/contract/announcement.ts";
import { endpoints } from "../../src/contract/index.ts";

/** A response to return, an error to throw, or a function of the request that returns either. */
export type ReplySource =
  | ScriptedReply
  | Error
  | ((request: TransportRequest, nth: number) => ScriptedReply | Error);

export interface ScriptedReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
}

export interface Script {
  readonly transport: Transport;
  /** In the order in which they were received. */
  readonly requests: TransportRequest[];
}

/** Returns one reply after the other, and repeats the last one. */
export function script(...replies: ReplySource[]): Script {
  const requests: TransportRequest[] = [];
  const transport: Transport = async (request) => {
    const nth = requests.push(request) - 1;
    const reply = replies[Math.min(nth, replies.length - 1)] ?? new Error("The script has no reply");
    const result = typeof reply === "function" ? reply(request, nth) : reply;
    if (result instanceof Error) throw result;
    const { status = 200, headers = {}, body = {} } = result;
    return { status, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
  };
  return { transport, requests };
}

/** The header of a service that has all extensions. */
export const allAnnounced = { [EXTENSIONS_HEADER]: formatExtensions(Object.values(endpoints)) };

/** A service that announces all extensions, whatever a script replies to other requests. */
export const announcing =
  (transport: Transport): Transport =>
  async (request) =>
    new URL(request.url).pathname === "/api/v1/games"
      ? { status: 200, headers: allAnnounced, body: '{"games":[]}' }
      : await transport(request);

/** A 429 response. */
export function rateLimited(retryAfterMs: unknown): ScriptedReply {
  return { status: 429, body: { error: "Rate limit exceeded", retryAfterMs, scope: "key" } };
}
