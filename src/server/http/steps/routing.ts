/** Steps that handle MCP messages, and that find the endpoint. */
import { ENDPOINT_HEADER } from "../../../contract/define.ts";
import { HttpError } from "../../../contract/errors.ts";
import { SDK_HEADER } from "../../telemetry/sdk-headers.ts";
import type { AppContext, Step } from "../context.ts";
import { type Exchange, required, respondEmpty } from "../exchange.ts";
import { MCP_PATH, requireOwnOrigin } from "../mcp.ts";
import { allowedMethods, allowsOtherOrigins } from "../routes.ts";

/** Finds the endpoints of the path. An unknown path is rejected only after the rate limit of the key was checked. */
export const matchRoute: Step = (exchange, { route }) => {
  exchange.match = route(exchange.path);
  return null;
};

/** Throws `not_found` for an unknown path. */
export const requireRoute: Step = ({ match }) => {
  if (!match) throw new HttpError("not_found");
  return null;
};

/** Finds the endpoint of the method. Throws `method_not_allowed` and sets the Allow header. */
export const requireMethod: Step = (exchange) => {
  const match = required(exchange.match, "match");
  exchange.endpoint = match.byMethod.get(exchange.method) ?? null;
  if (exchange.endpoint?.extension) exchange.headers[ENDPOINT_HEADER] = exchange.endpoint.name;
  if (exchange.endpoint) return null;
  exchange.headers.allow = allowedMethods(match);
  throw new HttpError("method_not_allowed");
};

/** Handles /mcp. Messages do not count toward the rate limit of the key; the API requests that they cause do. */
export const answerMcp: Step = (exchange, app) =>
  exchange.path === MCP_PATH && exchange.sender === "client" ? answerMessage(exchange, app) : null;

async function answerMessage(exchange: Exchange, { mcp, hostNames }: AppContext): Promise<Response> {
  const { request, headers, address } = exchange;
  requireOwnOrigin(request, hostNames);
  if (request.method !== "POST" && request.method !== "DELETE") {
    headers.allow = "POST, DELETE";
    throw new HttpError("method_not_allowed");
  }
  const response = await mcp.answer({ request, key: required(exchange.key, "key"), address });
  response.headers.set("x-request-id", exchange.requestId);
  exchange.outcome.bytes = null;
  return response;
}

/** Adds CORS headers before any other step can fail, because web pages need them to read errors too. */
export const allowCrossOrigin: Step = ({ path, group, headers }) => {
  if (allowsOtherOrigins(path, group)) {
    headers["access-control-allow-origin"] = "*";
    headers["access-control-expose-headers"] = "X-Request-Id, Retry-After, Date";
  }
  return null;
};

/** Responds to OPTIONS for the paths of games without a key, because browsers send preflights without one. */
export const answerTelemetryPreflight: Step = (exchange, app) =>
  allowsOtherOrigins(exchange.path, exchange.group) ? answerOptions(exchange, app) : null;

/** Responds to OPTIONS for other paths, which requires a key. */
export const answerPreflight: Step = (exchange, app) => answerOptions(exchange, app);

const ALLOWED_HEADERS = ["Authorization", "Content-Type", "Content-Encoding"];

/** The maximum number of SDK headers in a preflight. SDKs send two. */
const MAX_SDK_HEADERS = 10;

/** The requested headers that are headers of an SDK, whatever its vendor is called. */
function listSdkHeaders({ request }: Exchange): string[] {
  const requested = request.headers.get("access-control-request-headers") ?? "";
  const names = requested.split(",").map((name) => name.trim());
  return names.filter((name) => SDK_HEADER.test(name.toLowerCase())).slice(0, MAX_SDK_HEADERS);
}

function answerOptions(exchange: Exchange, { route }: AppContext): Response | null {
  if (exchange.request.method !== "OPTIONS") return null;
  const match = route(exchange.path);
  if (!match) throw new HttpError("not_found");
  const { headers } = exchange;
  headers.allow = allowedMethods(match);
  if (headers["access-control-allow-origin"]) {
    headers["access-control-allow-methods"] = headers.allow;
    headers["access-control-allow-headers"] = [...ALLOWED_HEADERS, ...listSdkHeaders(exchange)].join(", ");
    headers.vary = "Access-Control-Request-Headers";
    headers["access-control-max-age"] = "86400";
  }
  return respondEmpty(exchange);
}
