/** Steps that control access: the Host, the key, and its scope. */
import type { ApiKeyKind } from "../../../contract/define.ts";
import { HttpError } from "../../../contract/errors.ts";
import { KEY_EXPIRES_HEADER } from "../../../contract/fields.ts";
import * as accounts from "../../accounts/authenticate.ts";
import type { Step } from "../context.ts";
import { required } from "../exchange.ts";
import { isAllowedHost } from "../host.ts";
import type { RouteMatch } from "../routes.ts";

/** Throws `misdirected` for the host name of another server, which prevents DNS rebinding. */
export const checkHost: Step = ({ request }, { hostNames }) => {
  if (!isAllowedHost(request, hostNames)) throw new HttpError("misdirected");
  return null;
};

/** Throws `not_found` if the path belongs to no route group. */
export const requireGroup: Step = ({ group }) => {
  if (!group) throw new HttpError("not_found");
  return null;
};

/** Finds the key, if it is not known yet. Throws `unauthorized` if it is missing or unknown. */
export const authenticate: Step = async (exchange, { service }) => {
  if (exchange.key) return null;
  const { credential } = required(exchange.group, "group");
  const header = exchange.request.headers.get("authorization");
  exchange.key = await accounts.authenticate(
    { db: service.store.readDb, temporaryKeys: service.temporaryKeys, now: service.now() },
    credential,
    { header, query: exchange.query },
  );
  if (exchange.key.expires_at !== null)
    exchange.headers[KEY_EXPIRES_HEADER] = new Date(exchange.key.expires_at).toISOString();
  if (!service.temporaryKeys.includes(exchange.key)) service.keyUse.record(exchange.key);
  return null;
};

/** Throws `forbidden` if the endpoint, or for an unknown path the route group, requires another scope. */
export const checkScope: Step = ({ key, match, group, method }) => {
  const allowed = match ? allowedKeys(match, method) : required(group, "group").keys;
  accounts.requireScope(required(key, "key"), allowed);
  return null;
};

/** Throws `bad_request` if the query contains several keys. */
export const requireOneKey: Step = ({ group, query }) => {
  accounts.requireOneKey(required(group, "group").credential, query);
  return null;
};

/** Returns the scopes that may use a method of a path. For an unknown method, returns the scopes of all methods. */
function allowedKeys({ byMethod }: RouteMatch, method: string): readonly ApiKeyKind[] {
  return byMethod.get(method)?.keys ?? [...new Set([...byMethod.values()].flatMap(({ keys }) => keys))];
}
