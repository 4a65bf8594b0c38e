/** Pauses: a chat model that did not answer is left alone for a while, so that a queue does not wait for it in turn. */
import type { Service } from "../../db/service.ts";
import type { FaultReason } from "./faults.ts";

/** How long it is left alone, ms. */
export const PAUSE_MS = 60_000;

const persistentFaults: ReadonlySet<FaultReason> = new Set(["unavailable", "timeout", "refused"]);

/** By service and account, until when no model is asked, unix ms, and why. */
const pauses = new WeakMap<Service, Map<string, { until: number; reason: FaultReason }>>();

/** Why an account's model is not asked now; null where it may be. */
export function getPauseReason(service: Service, accountId: string): FaultReason | null {
  const pause = pauses.get(service)?.get(accountId);
  return pause && service.now() < pause.until ? pause.reason : null;
}

/** Begins a pause where the fault is one that the next question would meet too. */
export function pauseModel(service: Service, accountId: string, reason: FaultReason): void {
  if (!persistentFaults.has(reason)) return;
  const paused = pauses.get(service) ?? new Map<string, { until: number; reason: FaultReason }>();
  pauses.set(service, paused);
  paused.set(accountId, { until: service.now() + PAUSE_MS, reason });
}
