/** The step that hands MCP messages to their mount. */
import { HttpError } from "../../../contract/errors.ts";
import type { AppContext, Step } from "../context.ts";
import { type Exchange, required } from "../exchange.ts";
import { MCP_PATH, requireOwnOrigin } from "../mcp.ts";

/** Answers /mcp. Its messages do not count against the key: the calls of the API that they lead to do. */
export const answerMcp: Step = (exchange, app) =>
  exchange.path === MCP_PATH && !exchange.isInternal ? answerMessage(exchange, app) : null;

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
