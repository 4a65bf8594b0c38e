/** Steps for the system endpoints (health, metrics, OpenAPI) and admission control. */
import { HttpError } from "../../../contract/errors.ts";
import type { Step } from "../context.ts";
import { type Exchange, respond, respondEmpty } from "../exchange.ts";
import type { SystemEndpoint } from "../system-endpoints.ts";

/** Responds to health probes: with any Host, without rate limits, and even under overload. */
export const answerProbe: Step = (exchange) => answerIf(exchange, "nothing");

/** Responds to /metrics, even under overload. */
export const answerMetrics: Step = (exchange) => answerIf(exchange, "host");

/** Responds to /openapi.json. */
export const answerOpenApi: Step = (exchange) => answerIf(exchange, "admission");

/** Reserves capacity for the request, except for /metrics. Throws `unavailable` if too many are in progress. */
export const admit: Step = (exchange, { admission }) => {
  if (exchange.systemEndpoint?.requires === "host") return null;
  exchange.permit = admission.admit();
  return null;
};

function answerIf(
  exchange: Exchange,
  requirement: SystemEndpoint["requires"],
): null | Response | Promise<Response> {
  const { systemEndpoint, request, headers } = exchange;
  if (systemEndpoint?.requires !== requirement) return null;
  headers.allow = systemEndpoint.allow;
  if (!systemEndpoint.allow.split(", ").includes(request.method)) throw new HttpError("method_not_allowed");
  if (request.method === "OPTIONS") return respondEmpty(exchange);
  delete headers.allow;
  return systemEndpoint.answer().then((response) => {
    Object.assign(headers, response.headers);
    return respond(exchange, response.status, response.text);
  });
}
