/** The step that handles MCP messages. */
import { HttpError } from "../../../contract/errors.ts";
import type { AppContext, Step } from "../context.ts";
import { type Exchange, required } from "../exchange.ts";
import { MCP_PATH, requireOwnOrigin } from "../mcp.ts";

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
