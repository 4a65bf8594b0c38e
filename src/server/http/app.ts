/** The service as a fetch function: a loop over the contract that authenticates, limits, decodes, handles and answers. */
import { randomUUID } from "node:crypto";
import type { Endpoint, KeyKind } from "../../contract/define.ts";
import { commonErrors } from "../../contract/define.ts";
import { ApiError, fail } from "../../contract/errors.ts";
import { endpoints } from "../../contract/index.ts";
import { strict } from "../../contract/strict.ts";
import { authenticate, requireOneKey, requireScope } from "../accounts/authenticate.ts";
import type { Call, Handler } from "../accounts/handler.ts";
import { type Told, unobserved } from "../core/observer.ts";
import { Answered, jsonOf, Later } from "../core/responses.ts";
import { isPassing } from "../db/fault-codes.ts";
import type { KeyRow } from "../db/schema.ts";
import { seldomly } from "../observability/throttled.ts";
import { adoptedId, shownBriefly } from "../observability/without-keys.ts";
import { defaultLoad, Load, type LoadSettings, type Share } from "./admission.ts";
import { readBody } from "./body.ts";
import { decodeInput } from "./decode.ts";
import { handlers } from "./handlers.ts";
import { isAllowedHost } from "./host.ts";
import { MCP_PATH, type McpSettings, McpSurface, requireOwnOrigin } from "./mcp.ts";
import { nameOf } from "./request-name.ts";
import { surfaceOf } from "./route-groups.ts";
import { type Match, routerOf } from "./routes.ts";
import type { AppService } from "./service.ts";
import { type Metrics, type OwnPath, ownPathsOf } from "./system-endpoints.ts";

export interface AppOptions {
  /** Host names that are answered beside the loopback ones. */
  readonly hostNames?: readonly string[];
  /** Take the client's address from X-Forwarded-For: only behind a proxy that sets it. */
  readonly trustProxy?: boolean;
  /** Check every answer and error against the contract, and fail loudly where they differ: for tests. */
  readonly checkAnswers?: boolean;
  /** How much may be in hand at once. */
  readonly load?: LoadSettings;
  /** How the MCP surface is set up. */
  readonly mcp?: McpSettings;
  /** What /metrics answers; without it there is no such path. */
  readonly metrics?: Metrics;
}

/** Where a request came from. */
export interface Peer {
  readonly address: string;
}

export interface App {
  fetch(request: Request, peer?: Peer): Promise<Response>;
}

/** After how long a client may ask again where the database was not there or could not store, ms. */
const PASSING_WAIT_MS = 1000;

const route = routerOf(Object.values(endpoints));

/** Builds the app of a service. */
export function createApp(service: AppService, options: AppOptions = {}): App {
  const ownPaths = ownPathsOf(service, options.metrics);
  const load = new Load(options.load ?? defaultLoad);
  const reportPassing = seldomly(service);
  const run = async (request: Request, peer: Peer, surface: McpSurface | null) => {
    const response = await new Exchange(
      { service, options, mcp: surface, ownPaths, load, reportPassing },
      request,
      peer,
    ).run();
    if (service.draining.aborted) response.headers.set("connection", "close");
    return response;
  };
  const mcp = new McpSurface(service, options.mcp ?? {}, (request, address) =>
    run(request, { address }, null),
  );
  return { fetch: (request, peer = { address: "127.0.0.1" }) => run(request, peer, mcp) };
}

/** What every exchange of an app shares. */
interface Shared {
  readonly service: AppService;
  readonly options: AppOptions;
  /** Null for a request that the MCP surface makes. */
  readonly mcp: McpSurface | null;
  readonly ownPaths: ReadonlyMap<string, OwnPath>;
  readonly load: Load;
  /** For faults of the database that pass. */
  readonly reportPassing: AppService["report"];
}

/** One request on its way through the checks, in the order that decides which error wins. */
class Exchange {
  readonly #service: AppService;
  readonly #options: AppOptions;
  readonly #mcp: McpSurface | null;
  readonly #ownPaths: ReadonlyMap<string, OwnPath>;
  readonly #load: Load;
  readonly #reportPassing: AppService["report"];
  readonly #request: Request;
  readonly #address: string;
  readonly #path: string;
  readonly #query: string;
  readonly #requestId: string;
  readonly #headers: Record<string, string>;
  #endpoint: Endpoint | null = null;
  #bytes: Told["bytes"] = 0;
  #limit: Told["limit"] = null;
  /** What it has in hand; null where it is not counted. */
  #share: Share | null = null;

  constructor(
    { service, options, mcp, ownPaths, load, reportPassing }: Shared,
    request: Request,
    peer: Peer,
  ) {
    this.#service = service;
    this.#options = options;
    this.#mcp = mcp;
    this.#ownPaths = ownPaths;
    this.#load = load;
    this.#reportPassing = reportPassing;
    this.#request = request;
    this.#address = (options.trustProxy && forwardedFor(request)) || peer.address;
    const url = request.url;
    const start = url.indexOf("/", url.indexOf("//") + 2);
    const [path = "/", query = ""] = splitOnce(start < 0 ? "/" : url.slice(start), "?");
    this.#path = path;
    this.#query = splitOnce(query, "#")[0] ?? "";
    this.#requestId = adoptedId(request.headers.get("x-request-id")) ?? randomUUID();
    this.#headers = { "content-type": "application/json; charset=utf-8", "x-request-id": this.#requestId };
  }

  async run(): Promise<Response> {
    const { observer } = this.#service;
    if (observer === unobserved) return await this.#answerOrRefuse();
    const asked = {
      requestId: this.#requestId,
      method: this.#request.method,
      path: shownBriefly(this.#path),
      address: shownBriefly(this.#address),
      ...nameOf(route, this.#method, this.#path),
      header: (name: string) => this.#request.headers.get(name),
    };
    const told = await observer.request(asked, async () => ({
      response: await this.#answerOrRefuse(),
      bytes: this.#bytes,
      limit: this.#limit,
    }));
    return told.response;
  }

  async #answerOrRefuse(): Promise<Response> {
    try {
      return await this.#answer();
    } catch (error) {
      return this.#refuse(this.#declared(error));
    } finally {
      this.#share?.end();
    }
  }

  async #answer(): Promise<Response> {
    const { limits, store } = this.#service;
    const own = this.#ownPaths.get(this.#path);
    if (own?.behind === "nothing") return await this.#tell(own);
    const surface = surfaceOf(this.#path);
    // Before any refusal: a page in a browser can only read an answer that names its origin.
    if (surface?.telemetry) {
      this.#headers["access-control-allow-origin"] = "*";
      this.#headers["access-control-expose-headers"] = "X-Request-Id, Retry-After";
    }
    if (!isAllowedHost(this.#request, this.#options.hostNames ?? [])) throw fail("misdirected");
    if (own?.behind === "host") {
      await this.#countAddress();
      return await this.#tell(own);
    }
    const share = this.#load.begin();
    this.#share = share;
    await this.#countAddress();
    if (own) return await this.#tell(own);
    if (!surface) throw fail("not_found");
    if (surface.telemetry) {
      if (this.#request.method === "OPTIONS") return this.#preflight();
      await limits.take("telemetry", this.#address);
    }
    const header = this.#request.headers.get("authorization");
    const key = await authenticate(store.read, surface.credential, { header, query: this.#query });
    const match = route(this.#path);
    requireScope(key, match ? keysOf(match, this.#method) : surface.keys);
    if (this.#path === MCP_PATH && this.#mcp) return await this.#assist(this.#mcp, key);
    if (key.kind === "management") await limits.take("key", key.hash);
    if (!match) throw fail("not_found");
    if (this.#request.method === "OPTIONS") return this.#preflight();
    const endpoint = this.#endpointOf(match);
    requireOneKey(surface.credential, this.#query);
    return await this.#call(endpoint, match, key, share);
  }

  /** Counts the request against its address; what the MCP surface asks was counted when its message came. */
  async #countAddress(): Promise<void> {
    if (this.#mcp) await this.#service.limits.take("ip", this.#address);
  }

  /** The MCP surface. Its messages do not count against the key: the calls of the API that they lead to do. */
  async #assist(mcp: McpSurface, key: KeyRow): Promise<Response> {
    requireOwnOrigin(this.#request, this.#options.hostNames ?? []);
    if (this.#request.method !== "POST" && this.#request.method !== "DELETE") {
      this.#headers.allow = "POST, DELETE";
      throw fail("method_not_allowed");
    }
    const response = await mcp.answer({ request: this.#request, key, address: this.#address });
    response.headers.set("x-request-id", this.#requestId);
    this.#bytes = null;
    return response;
  }

  /** The method that decides what is done: HEAD is a GET whose body is left out. */
  get #method(): string {
    return this.#request.method === "HEAD" ? "GET" : this.#request.method;
  }

  #endpointOf(match: Match): Endpoint {
    const endpoint = match.byMethod.get(this.#method);
    if (endpoint) return endpoint;
    this.#headers.allow = allowOf(match);
    throw fail("method_not_allowed");
  }

  async #call(endpoint: Endpoint, match: Match, key: KeyRow, share: Share): Promise<Response> {
    this.#endpoint = endpoint;
    const input = decodeInput(endpoint, match.rawParams, this.#query);
    if (endpoint.maxBody > 0) input.body = await readBody(this.#request, endpoint, share);
    const handle = handlers[endpoint.name as keyof typeof handlers] as unknown as Handler<Endpoint>;
    const service = this.#service;
    const call = { service, accountId: key.account_id, key };
    const run = (db: Call["db"]) => handle(input as Parameters<typeof handle>[0], { ...call, db });
    const made = endpoint.method === "GET" ? await service.store.view(run) : await run(service.store.write);
    const answer = made instanceof Later ? await made.finish() : made;
    const { status, value } =
      answer instanceof Answered ? answer : { status: endpoint.status, value: answer };
    const text = jsonOf(value);
    if (this.#options.checkAnswers) strict(endpoint.response).parse(JSON.parse(text));
    if (endpoint.cacheControl) this.#headers["cache-control"] = endpoint.cacheControl;
    return this.#respond(status, text);
  }

  /** What a client is told of a fault: its own error where the contract declares it, else only that there was one. */
  #declared(error: unknown): ApiError {
    if (error instanceof ApiError && this.#mayAnswer(error)) return error;
    const isToPass = isPassing(error);
    // Who still waits when the service stops is cut off by that, and by no fault: models and the database are let go.
    if (!this.#service.stopping.aborted) {
      const report = isToPass ? this.#reportPassing : this.#service.report;
      report(
        `${this.#request.method} ${shownBriefly(this.#path)} (${this.#requestId})`,
        error,
        this.#requestId,
      );
    }
    if (isToPass) return fail("unavailable", { cause: error, extra: { retryAfterMs: PASSING_WAIT_MS } });
    return fail("internal", { cause: error });
  }

  #mayAnswer(error: ApiError): boolean {
    const declared = this.#endpoint?.errors ?? ["not_found", "method_not_allowed"];
    return commonErrors.includes(error.code) || declared.includes(error.code);
  }

  #refuse(error: ApiError): Response {
    const { retryAfterMs, scope } = error.extra;
    if (error.code === "rate_limited") this.#limit = scope === "key" ? "key" : "ip";
    if (typeof retryAfterMs === "number")
      this.#headers["retry-after"] = String(Math.ceil(retryAfterMs / 1000));
    const issues = error.issues.length > 0 ? { issues: error.issues } : {};
    return this.#respond(
      error.status ?? 500,
      JSON.stringify({ error: error.message, ...error.extra, ...issues }),
    );
  }

  /** A path beside the API: read, and by no other method. */
  async #tell(own: OwnPath): Promise<Response> {
    const { method } = this.#request;
    this.#headers.allow = own.allow;
    if (!own.allow.split(", ").includes(method)) throw fail("method_not_allowed");
    if (method === "OPTIONS") return this.#respondEmpty();
    delete this.#headers.allow;
    const { status, text, headers } = await own.answer();
    Object.assign(this.#headers, headers);
    return this.#respond(status, text);
  }

  #preflight(): Response {
    const match = route(this.#path);
    if (!match) throw fail("not_found");
    const headers = this.#headers;
    headers.allow = allowOf(match);
    if (headers["access-control-allow-origin"]) {
      headers["access-control-allow-methods"] = headers.allow;
      headers["access-control-allow-headers"] = "Authorization, Content-Type, Content-Encoding";
      headers["access-control-max-age"] = "86400";
    }
    return this.#respondEmpty();
  }

  #respondEmpty(): Response {
    const { "content-type": _type, ...headers } = this.#headers;
    return new Response(null, { status: 204, headers });
  }

  #respond(status: number, text: string): Response {
    const isHead = this.#request.method === "HEAD";
    if (this.#service.observer !== unobserved) this.#bytes = isHead ? 0 : Buffer.byteLength(text);
    if (!isHead) return new Response(text, { status, headers: this.#headers });
    const headers = { ...this.#headers, "content-length": String(Buffer.byteLength(text)) };
    return new Response(null, { status, headers });
  }
}

/** The keys that open a method of a path; those of any of its methods where it has no such one, to be told which it has. */
function keysOf({ byMethod }: Match, method: string): readonly KeyKind[] {
  return byMethod.get(method)?.keys ?? [...new Set([...byMethod.values()].flatMap(({ keys }) => keys))];
}

function allowOf(match: Match): string {
  const methods = [...match.byMethod.keys()];
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** The address the nearest proxy saw. */
function forwardedFor(request: Request): string {
  return request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
}
