/** Steps that decide who may ask: the Host, the key, and its scope. */
import type { ApiKeyKind } from "../../../contract/define.ts";
import { HttpError } from "../../../contract/errors.ts";
import * as accounts from "../../accounts/authenticate.ts";
import type { Step } from "../context.ts";
import { required } from "../exchange.ts";
import { isAllowedHost } from "../host.ts";
import type { RouteMatch } from "../routes.ts";

/** Throws `misdirected` for a Host that is not this service's: a page could point a name of its own at it. */
export const checkHost: Step = ({ request }, { hostNames }) => {
  if (!isAllowedHost(request, hostNames)) throw new HttpError("misdirected");
  return null;
};

/** Throws `not_found` outside of every part of the API. */
export const requireGroup: Step = ({ group }) => {
  if (!group) throw new HttpError("not_found");
  return null;
};

/** Finds the key. Throws `unauthorized` where there is none, or it is unknown. */
export const authenticate: Step = async (exchange, { service }) => {
  const { credential } = required(exchange.group, "group");
  const header = exchange.request.headers.get("authorization");
  exchange.key = await accounts.authenticate(service.store.readDb, credential, {
    header,
    query: exchange.query,
  });
  return null;
};

/** Throws `forbidden` where the endpoint, or for an unknown path its part of the API, takes another kind of key. */
export const checkScope: Step = ({ key, match, group, method }) => {
  const allowed = match ? allowedKeys(match, method) : required(group, "group").keys;
  accounts.requireScope(required(key, "key"), allowed);
  return null;
};

/** Throws `bad_request` where the key is given twice in the query. */
export const requireOneKey: Step = ({ group, query }) => {
  accounts.requireOneKey(required(group, "group").credential, query);
  return null;
};

/** The keys that a method of a path takes; where it has no such method, those of all its methods. */
function allowedKeys({ byMethod }: RouteMatch, method: string): readonly ApiKeyKind[] {
  return byMethod.get(method)?.keys ?? [...new Set([...byMethod.values()].flatMap(({ keys }) => keys))];
}
