/** Steps that count a request toward the rate limits. Each throws `rate_limited` if its limit is reached. */
import type { Step } from "../context.ts";
import { required } from "../exchange.ts";

/** Counts the address of the client. Requests from MCP tools were already counted when the tool call arrived. */
export const limitAddress: Step = async ({ isInternal, address }, { service }) => {
  if (!isInternal) await service.limits.take("ip", address);
  return null;
};

/** Counts a telemetry request toward the telemetry limit of its address. */
export const limitTelemetry: Step = ({ group, address }, { service }) =>
  group?.telemetry ? service.limits.take("telemetry", address).then(() => null) : null;

/** Counts a request toward the limit of its management key. */
export const limitKey: Step = async (exchange, { service }) => {
  const key = required(exchange.key, "key");
  if (key.kind === "management") await service.limits.take("key", key.hash);
  return null;
};
