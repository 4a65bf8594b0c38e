/** A transport that answers from a script and keeps what it was sent, in place of a network. */
import type { Transport, TransportRequest } from "../../src/client/transport.ts";

/** An answer to give, a fault to throw, or what makes one of the request. */
export type Reply = Given | Error | ((request: TransportRequest, nth: number) => Given | Error);

export interface Given {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown;
}

export interface Script {
  readonly transport: Transport;
  /** In the order they came. */
  readonly requests: TransportRequest[];
}

/** Answers one reply after the other; the last is given again and again. */
export function script(...replies: Reply[]): Script {
  const requests: TransportRequest[] = [];
  const transport: Transport = async (request) => {
    const nth = requests.push(request) - 1;
    const reply = replies[Math.min(nth, replies.length - 1)] ?? new Error("The script has no reply");
    const given = typeof reply === "function" ? reply(request, nth) : reply;
    if (given instanceof Error) throw given;
    const { status = 200, headers = {}, body = {} } = given;
    return { status, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
  };
  return { transport, requests };
}

/** What a 429 looks like. */
export function limited(retryAfterMs: unknown): Given {
  return { status: 429, body: { error: "Rate limit exceeded", retryAfterMs, scope: "key" } };
}
