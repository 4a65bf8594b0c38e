/** Errors of requests to AI models. */
import type { ProviderRow } from "../../db/schema.ts";

/** The settings of a provider that requests need. */
export type ProviderSettings = Pick<ProviderRow, "base_url" | "model" | "api_key" | "timeout_ms">;

/** Why a request to a model failed. */
export type FaultReason = "declined" | "invalid" | "refused" | "unavailable" | "timeout";

/** A failed request to a model. */
export class ProviderFault extends Error {
  override readonly name = "ProviderFault";
  readonly reason: FaultReason;

  constructor(reason: FaultReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.reason = reason;
  }
}

/** The service stopped during a request to a model. The model is not at fault. */
export class ModelStopped extends Error {
  override readonly name = "ModelStopped";
}
