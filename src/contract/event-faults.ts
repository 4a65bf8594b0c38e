/**
 * Validates telemetry events with handwritten checks, because a schema library halves the throughput. Tests compare them
 * with the schema of the contract.
 */
import { formatSize } from "../shared/sizes.ts";
import { describeEarlyTime, nestsWithin, TELEMETRY_LIMITS } from "./telemetry.ts";

/** Returns why an event is rejected, or null if it is valid. */
export function findEventFault(event: unknown): string | null {
  if (typeof event !== "object" || event === null || Array.isArray(event))
    return "event must be a JSON object";
  const { id, name, timestamp, data } = event as Record<string, unknown>;
  return (
    findWordFault("id", id, TELEMETRY_LIMITS.eventId) ??
    findWordFault("name", name, TELEMETRY_LIMITS.eventName) ??
    findTimeFault(timestamp) ??
    findDataFault(data)
  );
}

function findWordFault(field: string, value: unknown, max: number): string | null {
  if (typeof value !== "string" || value.length < 1 || value.length > max) {
    return `${field} must be a string of 1 to ${max} characters`;
  }
  if (value.includes("\0") || !value.isWellFormed())
    return `${field} must be well-formed Unicode without NUL characters`;
  return null;
}

function findTimeFault(value: unknown): string | null {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    return "timestamp must be an integer in Unix milliseconds, in the year 2000 or later";
  const fault = describeEarlyTime(value);
  return fault === null ? null : `timestamp ${fault}`;
}

function findDataFault(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object" || Array.isArray(value)) return "data must be a JSON object";
  const { nesting } = TELEMETRY_LIMITS;
  return nestsWithin(value, nesting) ? null : `data must not be nested more than ${nesting} levels deep`;
}

/** The error of events for a session whose events were removed. `prunedAt` is unix ms. */
export function describePrunedSession(prunedAt: number): string {
  const date = new Date(prunedAt).toISOString().slice(0, 10);
  return `session no longer accepts events, because its events were removed by pruning on ${date}`;
}

/** How the error of an event begins that its session has no space for. */
export const SESSION_FULL = "session is full";

/** The error of events for a session that has reached one of its limits. */
export function describeFullSession(limit: { readonly events: number } | { readonly bytes: number }): string {
  const max = "events" in limit ? `${limit.events.toLocaleString("en-US")} events` : formatSize(limit.bytes);
  return `${SESSION_FULL}: it may have ${max}`;
}

/** The error of an event whose id the session has already stored with other content. */
export const ID_CONFLICT =
  "id belongs to another event of the session with a different name, timestamp or data. Send a unique id with each event";

/** The warning for a request whose client session id belongs to the session of another device. */
export const SHARED_SESSION_ID =
  "clientSessionId is used by another device, so this device has a session of its own. Create a random id for each session";
