/** One request in the pipeline, with the results of the steps so far. */
import { randomUUID } from "node:crypto";
import type { Endpoint } from "../../contract/define.ts";
import type { RequestOutcome } from "../core/observer.ts";
import type { ApiKeyRow } from "../db/schema.ts";
import { acceptRequestId } from "../observability/redact.ts";
import type { Permit } from "./admission.ts";
import type { RouteGroup, RouteMatch } from "./routes.ts";
import type { SystemEndpoint } from "./system-endpoints.ts";

/** Where a request came from. */
export interface Peer {
  readonly address: string;
}

/**
 * Who sent a request: a client over the network, or in this process an MCP tool or a page of the console. The address of the
 * latter two was already counted, for the MCP message or the page.
 */
export type Sender = "client" | "tool" | "page";

export interface Exchange {
  readonly request: Request;
  /** The method, with GET instead of HEAD. `respond` omits the body of a HEAD request. */
  readonly method: string;
  /** The address of the client, for rate limits. */
  readonly address: string;
  /** The address at the other end of the connection, such as that of a proxy. */
  readonly peer: string;
  /** Still percent-encoded, without the query. */
  readonly path: string;
  /** Still percent-encoded, without the question mark. */
  readonly query: string;
  readonly requestId: string;
  /** The path and the network of the client for logs, without names of people. */
  readonly logged: { readonly path: string; readonly address: string };
  readonly sender: Sender;
  readonly systemEndpoint: SystemEndpoint | null;
  /** The route group of the path; null if it belongs to none. */
  readonly group: RouteGroup | null;
  /** Headers of the response, even if it is an error. */
  readonly headers: Record<string, string>;
  /** Capacity taken by `admit`; released when the response is ready. */
  permit: Permit | null;
  /** Set by `authenticate`, or known before for a page of the console. */
  key: ApiKeyRow | null;
  /** Set by `matchRoute`; null if no endpoint has this path. */
  match: RouteMatch | null;
  /** Set by `requireMethod`. */
  endpoint: Endpoint | null;
  /** Set by `decode`. */
  input: Record<string, unknown> | null;
  /** The size of the body after decompression; set by `decode`. */
  bodyBytes: number;
  /** What `decode` removed from the body. */
  warnings: readonly string[];
  /** Whether there is an observer, which needs the size of responses. */
  readonly isObserved: boolean;
  /** For the observer. */
  readonly outcome: { -readonly [Field in Exclude<keyof RequestOutcome, "response">]: RequestOutcome[Field] };
}

interface ExchangeOptions {
  readonly peer: Peer;
  readonly sender: Sender;
  /** The key on whose behalf a page of the console reads; null for all other requests. */
  readonly key: ApiKeyRow | null;
  readonly isObserved: boolean;
  /** Whether to take the address from X-Forwarded-For. */
  readonly trustProxy: boolean;
  describe(method: string, path: string, address: string): Exchange["logged"];
  findGroup(path: string): RouteGroup | null;
  findSystemEndpoint(path: string): SystemEndpoint | null;
}

export function createExchange(request: Request, options: ExchangeOptions): Exchange {
  const { url } = request;
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const [path = "/", query = ""] = splitOnce(start < 0 ? "/" : url.slice(start), "?");
  const requestId = acceptRequestId(request.headers.get("x-request-id")) ?? randomUUID();
  const method = request.method === "HEAD" ? "GET" : request.method;
  const address = (options.trustProxy && readForwardedFor(request)) || options.peer.address;
  return {
    request,
    method,
    address,
    peer: options.peer.address,
    path,
    get logged() {
      return options.describe(method, path, address);
    },
    query: splitOnce(query, "#")[0] ?? "",
    requestId,
    sender: options.sender,
    isObserved: options.isObserved,
    systemEndpoint: options.findSystemEndpoint(path),
    group: options.findGroup(path),
    headers: { "content-type": "application/json; charset=utf-8", "x-request-id": requestId },
    permit: null,
    key: options.key,
    match: null,
    endpoint: null,
    input: null,
    bodyBytes: 0,
    warnings: [],
    outcome: { bytes: 0, limit: null, refusal: null },
  };
}

/** Returns a value that an earlier step must have set. A missing value is a bug in the order of the pipeline. */
export function required<T>(value: T | null, name: string): T {
  if (value === null) throw new Error(`No step of the pipeline has set ${name}`);
  return value;
}

/** Creates a JSON response, without the body for HEAD requests. */
export function respond(exchange: Exchange, status: number, text: string): Response {
  const { request, headers, outcome } = exchange;
  if (request.method === "HEAD") {
    const length = String(Buffer.byteLength(text));
    return new Response(null, { status, headers: { ...headers, "content-length": length } });
  }
  if (exchange.isObserved) outcome.bytes = Buffer.byteLength(text);
  return new Response(text, { status, headers });
}

/** Creates a response of server-sent events. Proxies must neither cache nor buffer it. */
export function respondStream({ headers, outcome }: Exchange, stream: ReadableStream<Uint8Array>): Response {
  outcome.bytes = null;
  return new Response(stream, {
    headers: {
      ...headers,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    },
  });
}

/** Creates a 204 response without a body. */
export function respondEmpty({ headers: { "content-type": _type, ...headers } }: Exchange): Response {
  return new Response(null, { status: 204, headers });
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Returns the last address in X-Forwarded-For, which the nearest proxy has added. */
function readForwardedFor(request: Request): string {
  return request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
}
