/** Steps that count a request toward the rate limits. Each throws `rate_limited` if its limit is reached. */
import { createHash } from "node:crypto";
import type { Step } from "../context.ts";
import { type Exchange, required } from "../exchange.ts";
import { toNetwork } from "../rate-limit-windows.ts";

/** Whether a request is a write of a game client, which has its own limits. */
const isIngest = ({ group, method }: Exchange) => group?.telemetry === true && method === "POST";

/** Counts the address of the client, once for all requests of an MCP message or a page. */
export const limitAddress: Step = async (exchange, { service }) => {
  if (exchange.sender === "client" && !isIngest(exchange)) await service.limits.take("ip", exchange.address);
  return null;
};

/** Counts a request of a game client toward the limit of its address for reads or writes. */
export const limitTelemetry: Step = (exchange, { service }) =>
  exchange.group?.telemetry
    ? service.limits.take(isIngest(exchange) ? "ingest" : "telemetry", exchange.address).then(() => null)
    : null;

/**
 * Counts a write toward the limit of its device. Clients only send the device when they create a session, so other
 * requests count by session. All requests of an address without either count as one device.
 */
export const limitDevice: Step = async (exchange, { service }) => {
  if (!isIngest(exchange)) return null;
  const { deviceId, sessionId, clientSessionId } = (exchange.input?.body ?? {}) as Record<string, unknown>;
  const client = [toNetwork(exchange.address), deviceId ?? sessionId ?? clientSessionId ?? null];
  await service.limits.take(
    "device",
    createHash("sha256").update(JSON.stringify(client)).digest("base64url"),
  );
  return null;
};

/** Counts a request toward the limit of its management key. Pages of the console have their own limit. */
export const limitKey: Step = async (exchange, { service }) => {
  const key = required(exchange.key, "key");
  if (key.kind === "management" && exchange.sender !== "page") await service.limits.take("key", key.hash);
  return null;
};
