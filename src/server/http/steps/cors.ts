/** CORS steps. Web pages of other origins may send telemetry, but cannot read other data. */
import { HttpError } from "../../../contract/errors.ts";
import type { AppContext, Step } from "../context.ts";
import { type Exchange, respondEmpty } from "../exchange.ts";
import { allowedMethods } from "../routes.ts";

/** Adds CORS headers before any other step can fail, because web pages need them to read errors too. */
export const allowCrossOrigin: Step = ({ group, headers }) => {
  if (group?.telemetry) {
    headers["access-control-allow-origin"] = "*";
    headers["access-control-expose-headers"] = "X-Request-Id, Retry-After";
  }
  return null;
};

/** Responds to OPTIONS for telemetry without a key, because browsers send preflights without one. */
export const answerTelemetryPreflight: Step = (exchange, app) =>
  exchange.group?.telemetry ? answerOptions(exchange, app) : null;

/** Responds to OPTIONS for other paths, which requires a key. */
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
