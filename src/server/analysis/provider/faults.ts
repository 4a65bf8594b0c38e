/** The ways in which a model gives nothing that can be used. */
import type { ProviderRow } from "../../db/schema.ts";

/** The address, model, key and time of a provider: what asking it needs. */
export type ProviderSettings = Pick<ProviderRow, "base_url" | "model" | "api_key" | "timeout_ms">;

/** Why a model gave nothing that can be used. */
export type FaultReason = "declined" | "invalid" | "refused" | "unavailable" | "timeout";

export class ProviderFault extends Error {
  override readonly name = "ProviderFault";
  readonly reason: FaultReason;

  constructor(reason: FaultReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.reason = reason;
  }
}

/** The service stops while a model is asked: not a fault of the model. */
export class ModelStopped extends Error {
  override readonly name = "ModelStopped";
}
