/** CORS steps. Web pages of other origins may send telemetry and read the event config, but no other data. */
import { HttpError } from "../../../contract/errors.ts";
import { SDK_HEADER } from "../../telemetry/sdk-headers.ts";
import type { AppContext, Step } from "../context.ts";
import { type Exchange, respondEmpty } from "../exchange.ts";
import { allowsOtherOrigins } from "../route-groups.ts";
import { allowedMethods } from "../routes.ts";

/** Adds CORS headers before any other step can fail, because web pages need them to read errors too. */
export const allowCrossOrigin: Step = ({ path, group, headers }) => {
  if (allowsOtherOrigins(path, group)) {
    headers["access-control-allow-origin"] = "*";
    headers["access-control-expose-headers"] = "X-Request-Id, Retry-After";
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
