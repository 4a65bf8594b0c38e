/** Steps that count a request against the rate limits. Each throws `rate_limited` once its window is full. */
import type { Step } from "../context.ts";
import { required } from "../exchange.ts";

/** Counts the client's address. A request that an MCP tool makes was counted when the tool call arrived. */
export const limitAddress: Step = async ({ isInternal, address }, { service }) => {
  if (!isInternal) await service.limits.take("ip", address);
  return null;
};

/** Counts a telemetry request against its address. */
export const limitTelemetry: Step = ({ group, address }, { service }) =>
  group?.telemetry ? service.limits.take("telemetry", address).then(() => null) : null;

/** Counts a management key. */
export const limitKey: Step = async (exchange, { service }) => {
  const key = required(exchange.key, "key");
  if (key.kind === "management") await service.limits.take("key", key.hash);
  return null;
};
