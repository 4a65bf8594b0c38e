/**
 * Validates telemetry events with handwritten checks, because a schema library halves the throughput. Tests compare them
 * with the schema of the contract.
 */
import { describeEarlyTime, nestsWithin, TELEMETRY_LIMITS } from "../../contract/telemetry.ts";
import { EVENTS } from "../../shared/event-names.ts";

/** A valid event. */
export interface TelemetryEvent {
  readonly id: string;
  readonly name: string;
  /** Unix ms. */
  readonly timestamp: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The earliest timestamp of events in any order, unix ms; null if there are none. */
export function findFirstTime(events: readonly TelemetryEvent[]): number | null {
  let first: number | null = null;
  for (const { timestamp } of events) if (first === null || timestamp < first) first = timestamp;
  return first;
}

/** The position of a player, as heatmaps use it. */
export interface Position {
  readonly x: number;
  readonly y: number;
  readonly room: string;
}

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
  if (value === undefined) return null;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return "data must be a JSON object";
  const { nesting } = TELEMETRY_LIMITS;
  return nestsWithin(value, nesting) ? null : `data must not be nested more than ${nesting} levels deep`;
}

/** Reads the position of an event. Null if it has no finite coordinates or no room name. */
export function readPosition(event: TelemetryEvent): Position | null {
  if (event.name !== EVENTS.position || !event.data) return null;
  const { x, y, room } = event.data;
  if (typeof x !== "number" || typeof y !== "number" || !Number.isFinite(x) || !Number.isFinite(y))
    return null;
  if (typeof room !== "string" || room === "") return null;
  return { x, y, room: room.isWellFormed() && !room.includes("\0") ? room : cleanRoom(room) };
}

/** Replaces characters that the database cannot store in a room's name. */
function cleanRoom(room: string): string {
  return room.toWellFormed().replaceAll("\0", "\ufffd");
}
