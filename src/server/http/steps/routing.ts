/** Steps that find the endpoint. An unknown path is rejected only after the rate limit of the key was checked. */
import { ENDPOINT_HEADER } from "../../../contract/define.ts";
import { HttpError } from "../../../contract/errors.ts";
import type { Step } from "../context.ts";
import { required } from "../exchange.ts";
import { allowedMethods } from "../routes.ts";

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
