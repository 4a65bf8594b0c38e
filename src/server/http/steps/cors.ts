/** Steps for pages of other origins: they may send telemetry, and read nothing else. */
import { HttpError } from "../../../contract/errors.ts";
import type { AppContext, Step } from "../context.ts";
import { type Exchange, respondEmpty } from "../exchange.ts";
import { allowedMethods } from "../routes.ts";

/** Names the origin before any refusal: a page can only read a response that does. */
export const allowCrossOrigin: Step = ({ group, headers }) => {
  if (group?.telemetry) {
    headers["access-control-allow-origin"] = "*";
    headers["access-control-expose-headers"] = "X-Request-Id, Retry-After";
  }
  return null;
};

/** Answers a preflight of telemetry: browsers send it without a key. */
export const answerTelemetryPreflight: Step = (exchange, app) =>
  exchange.group?.telemetry ? answerOptions(exchange, app) : null;

/** Answers OPTIONS elsewhere, for which a key is needed. */
export const answerPreflight: Step = (exchange, app) => answerOptions(exchange, app);

function answerOptions(exchange: Exchange, { route }: AppContext): Response | null {
  if (exchange.request.method !== "OPTIONS") return null;
  const match = route(exchange.path);
  if (!match) throw new HttpError("not_found");
  const { headers } = exchange;
  headers.allow = allowedMethods(match);
  if (headers["access-control-allow-origin"]) {
    headers["access-control-allow-methods"] = headers.allow;
    headers["access-control-allow-headers"] = "Authorization, Content-Type, Content-Encoding";
    headers["access-control-max-age"] = "86400";
  }
  return respondEmpty(exchange);
}
