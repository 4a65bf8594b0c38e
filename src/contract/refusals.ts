/** Why the service refuses telemetry, or warns of it. Each refused request and each rejected event counts toward one reason. */
import type { HttpErrorCode } from "./errors.ts";
import { ID_CONFLICT, SESSION_FULL } from "./event-faults.ts";

/** The value of `reason` in a 429 for game clients: a budget of the day is spent. */
export const BUDGET_SPENT = "budget";

export const refusalReasons = [
  "invalid_key",
  "wrong_key",
  "wrong_environment",
  "rate_limited",
  BUDGET_SPENT,
  "invalid_body",
  "body_too_large",
  "unsupported_media_type",
  "unknown_game",
  "unknown_session",
  "unknown_form",
  "erased",
  "not_found",
  "conflict",
  "unavailable",
  "storage_full",
  "other",
  "event_not_object",
  "event_id",
  "event_name",
  "event_timestamp",
  "event_data",
  "event_session",
  "session_full",
  "id_conflict",
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Why the service warns of a request that it has accepted. Warnings are not counted. */
export const warningReasons = ["client_session_shared"] as const;
export type WarningReason = (typeof warningReasons)[number];

export function isWarning(reason: RefusalReason | WarningReason): reason is WarningReason {
  return warningReasons.some((known) => known === reason);
}

const reasonsByCode: { readonly [Code in HttpErrorCode]?: RefusalReason } = {
  bad_request: "invalid_body",
  unauthorized: "invalid_key",
  forbidden: "wrong_key",
  not_found: "not_found",
  conflict: "conflict",
  payload_too_large: "body_too_large",
  unsupported_media_type: "unsupported_media_type",
  rate_limited: "rate_limited",
  unavailable: "unavailable",
  internal: "unavailable",
  storage_full: "storage_full",
};

/** The reason of a refused request. `detail` is the `reason` in the body of the error, if it has one. */
export function classifyRequest(code: HttpErrorCode, detail: unknown): RefusalReason {
  return refusalReasons.find((reason) => reason === detail) ?? reasonsByCode[code] ?? "other";
}

/** The reason of a rejected event, from the error of the event, which begins with the field. */
export function classifyEvent(error: string): RefusalReason {
  if (error.startsWith(SESSION_FULL)) return "session_full";
  if (error === ID_CONFLICT) return "id_conflict";
  const [field] = error.split(" ");
  if (field === "event") return "event_not_object";
  return refusalReasons.find((reason) => reason === `event_${field}`) ?? "other";
}

export function countEventRefusals(
  rejected: readonly { readonly error: string }[],
): Partial<Record<RefusalReason, number>> {
  const counts: Partial<Record<RefusalReason, number>> = {};
  for (const { error } of rejected) {
    const reason = classifyEvent(error);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}
