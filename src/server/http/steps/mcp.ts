/** The step that hands MCP messages to their mount. */
import { HttpError } from "../../../contract/errors.ts";
import type { Step } from "../context.ts";
import { required } from "../exchange.ts";
import { MCP_PATH, requireOwnOrigin } from "../mcp.ts";

/** Answers /mcp. Its messages do not count against the key: the calls of the API that they lead to do. */
export const answerMcp: Step = async (exchange, { mcp, hostNames }) => {
  const { request, headers, address, isInternal } = exchange;
  if (exchange.path !== MCP_PATH || isInternal) return null;
  requireOwnOrigin(request, hostNames);
  if (request.method !== "POST" && request.method !== "DELETE") {
    headers.allow = "POST, DELETE";
    throw new HttpError("method_not_allowed");
  }
  const response = await mcp.answer({ request, key: required(exchange.key, "key"), address });
  response.headers.set("x-request-id", exchange.requestId);
  exchange.outcome.bytes = null;
  return response;
};
