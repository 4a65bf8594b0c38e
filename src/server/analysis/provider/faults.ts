/** Errors of requests to AI models, and pauses of models that did not respond. */
import type { ProviderRow } from "../../db/schema.ts";
import type { Service } from "../../db/service.ts";

/** What requests to a model may cost. */
export interface ModelBudget {
  /** Counts a request. Throws ProviderFault if the budget is spent. */
  takeCall(): Promise<void>;
  addTokens(tokens: number): void;
}

/** The settings of a provider that requests need. */
export interface ProviderSettings extends Pick<ProviderRow, "base_url" | "model" | "api_key" | "timeout_ms"> {
  /** Not set for the requests of an operator's own commands. */
  readonly budget?: ModelBudget;
  /** Called for each failed request, after its retries. Not set for the requests of an operator's own commands. */
  readonly onFault?: (fault: ProviderFault) => void;
}

/** Why a request to a model failed. */
export type FaultReason = "declined" | "invalid" | "refused" | "unavailable" | "timeout" | "budget";

/** A failed request to a model. */
export class ProviderFault extends Error {
  override readonly name = "ProviderFault";
  readonly reason: FaultReason;
  /** The error status that the provider answered with; null without one. */
  readonly status: number | null;

  constructor(reason: FaultReason, message: string, cause?: unknown, status: number | null = null) {
    super(message, cause === undefined ? {} : { cause });
    this.reason = reason;
    this.status = status;
  }
}

/** The service stopped during a request to a model. The model is not at fault. */
export class ModelStopped extends Error {
  override readonly name = "ModelStopped";
}

export const PAUSE_MS = 60_000;

/** Why the provider gave no answer of the model. Most likely, it will not give the next one either. */
const providerFaults: ReadonlySet<FaultReason> = new Set(["unavailable", "timeout", "refused"]);

/** Whether the provider gave no answer of the model, so that the model is not at fault. */
export const isProviderFault = (reason: FaultReason): boolean => providerFaults.has(reason);

/** The end of the pause (ms of the monotonic clock) and its reason, by service and account. */
const pauses = new WeakMap<Service, Map<string, { until: number; reason: FaultReason }>>();

/** Why the model of an account is paused; null if it is not. */
export function getPauseReason(service: Service, accountId: string): FaultReason | null {
  const pause = pauses.get(service)?.get(accountId);
  return pause && service.monotonicNow() < pause.until ? pause.reason : null;
}

/** Starts a pause if the fault would most likely affect the next request too. */
export function pauseModel(service: Service, accountId: string, reason: FaultReason): void {
  if (!isProviderFault(reason)) return;
  const byAccount = pauses.get(service) ?? new Map<string, { until: number; reason: FaultReason }>();
  pauses.set(service, byAccount);
  byAccount.set(accountId, { until: service.monotonicNow() + PAUSE_MS, reason });
}
