/** Pauses a chat model that did not respond, so that the queue does not wait for it with every session. */
import type { Service } from "../../db/service.ts";
import type { FaultReason } from "./faults.ts";

/** Length of a pause in ms. */
export const PAUSE_MS = 60_000;

const persistentFaults: ReadonlySet<FaultReason> = new Set(["unavailable", "timeout", "refused"]);

/** The end of the pause (ms of the monotonic clock) and its reason, by service and account. */
const pauses = new WeakMap<Service, Map<string, { until: number; reason: FaultReason }>>();

/** Why the model of an account is paused; null if it is not. */
export function getPauseReason(service: Service, accountId: string): FaultReason | null {
  const pause = pauses.get(service)?.get(accountId);
  return pause && service.monotonicNow() < pause.until ? pause.reason : null;
}

/** Starts a pause if the fault would most likely affect the next request too. */
export function pauseModel(service: Service, accountId: string, reason: FaultReason): void {
  if (!persistentFaults.has(reason)) return;
  const byAccount = pauses.get(service) ?? new Map<string, { until: number; reason: FaultReason }>();
  pauses.set(service, byAccount);
  byAccount.set(accountId, { until: service.monotonicNow() + PAUSE_MS, reason });
}
