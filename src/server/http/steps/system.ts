/** Steps that answer the system endpoints (health, metrics, OpenAPI), and the admission control between them. */
import { HttpError } from "../../../contract/errors.ts";
import type { Step } from "../context.ts";
import { type Exchange, respond, respondEmpty } from "../exchange.ts";
import type { SystemEndpoint } from "../system-endpoints.ts";

/** Answers the health probes: of any Host, unlimited, and even under overload. */
export const answerProbe: Step = (exchange) => answerIf(exchange, "nothing");

/** Answers /metrics, which must be readable just when too much is going on. */
export const answerMetrics: Step = (exchange) => answerIf(exchange, "host");

/** Answers /openapi.json. */
export const answerOpenApi: Step = (exchange) => answerIf(exchange, "admission");

/** Takes capacity for the request. Throws `unavailable` where too many are in progress; /metrics is exempt. */
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
