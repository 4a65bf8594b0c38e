/** Steps that handle MCP messages, and that find the endpoint. */
import { ENDPOINT_HEADER } from "../../../contract/define.ts";
import { HttpError } from "../../../contract/errors.ts";
import type { AppContext, Step } from "../context.ts";
import { type Exchange, required } from "../exchange.ts";
import { MCP_PATH, requireOwnOrigin } from "../mcp.ts";
import { allowedMethods } from "../routes.ts";

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
