/** Steps that control access: the Host, the key, and its scope. */

import { createHash } from "node:crypto";
import type { ApiKeyKind } from "../../../contract/define.ts";
import { HttpError } from "../../../contract/errors.ts";
import { KEY_EXPIRES_HEADER } from "../../../contract/fields.ts";
import * as accounts from "../../accounts/authenticate.ts";
import type { Step } from "../context.ts";
import { type Exchange, required } from "../exchange.ts";
import { isAllowedHost } from "../host.ts";
import { toNetwork } from "../rate-limit-windows.ts";
import type { RouteMatch } from "../routes.ts";

/**
 * Throws `misdirected` for the host name of another server, which prevents DNS rebinding, and `bad_request` for two Host
 * headers, which a proxy in between may have read differently (RFC 9112, 3.2).
 */
export const checkHost: Step = ({ request }, { hostNames }) => {
  if (request.headers.get("host")?.includes(","))
    throw new HttpError("bad_request", { message: "The request has more than one Host header" });
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

/** Whether a request is a write of a game client, which has its own limits. */
const isIngest = ({ group, method }: Exchange) => group?.telemetry === true && method === "POST";

/**
 * Counts the address of the client, once for all requests of an MCP message or a page. Requests of game clients only count
 * toward their own limits, so that a room of players does not block others behind the same address.
 */
export const limitAddress: Step = async (exchange, { service }) => {
  if (exchange.sender === "client" && !exchange.group?.telemetry)
    await service.limits.take("ip", exchange.address);
  return null;
};

/** Counts a request of a game client toward the limit of its address for reads or writes. */
export const limitTelemetry: Step = (exchange, { service }) =>
  exchange.group?.telemetry
    ? service.limits.take(isIngest(exchange) ? "ingest" : "telemetry", exchange.address).then(() => null)
    : null;

/**
 * Counts a write toward the limit of its device and that of its session, so that a client cannot evade one by changing the other:
 * clients only send the device when they create a session. A client that changes both is limited by its address. All requests of an
 * address without either count as one device.
 */
export const limitDevice: Step = async (exchange, { service }) => {
  if (!isIngest(exchange)) return null;
  const { deviceId, sessionId, clientSessionId } = (exchange.input?.body ?? {}) as Record<string, unknown>;
  const network = toNetwork(exchange.address);
  const ids = new Set([deviceId ?? null, sessionId ?? clientSessionId ?? null]);
  if (ids.size > 1) ids.delete(null);
  for (const id of ids) {
    const client = createHash("sha256").update(JSON.stringify([network, id]));
    await service.limits.take("device", client.digest("base64url"));
  }
  return null;
};

/**
 * Throws `unavailable` for a write to a damaged database, and `storage_full` for a request that adds data while the database has
 * its maximum size.
 */
export const requireStorage: Step = async ({ endpoint }, { service }) => {
  if (endpoint && endpoint.method !== "GET") service.integrity.requireIntact();
  if (endpoint?.errors.includes("storage_full")) await service.storage.requireCapacity();
  return null;
};

/** Counts a request toward the limit of its key, except of ingest keys, which all players share. Pages of the console have their own limit. */
export const limitKey: Step = async (exchange, { service }) => {
  const key = required(exchange.key, "key");
  if (key.kind !== "ingest" && exchange.sender !== "page") await service.limits.take("key", key.hash);
  return null;
};
