/** Checks events one by one, by hand: a schema library halves the throughput, and the contract's schema is the test of this one. */
import { describeEarlyTime, nestsWithin, TELEMETRY_LIMITS } from "../../contract/telemetry.ts";
import { EVENTS } from "../../shared/event-names.ts";

/** An event that passed the check. */
export interface TelemetryEvent {
  readonly id: string;
  readonly name: string;
  /** Unix ms. */
  readonly timestamp: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The earliest time of some events, unix ms; null of none. They may come in any order. */
export function findFirstTime(events: readonly TelemetryEvent[]): number | null {
  let first: number | null = null;
  for (const { timestamp } of events) if (first === null || timestamp < first) first = timestamp;
  return first;
}

/** Where a player was: what the heatmap takes. */
export interface Position {
  readonly x: number;
  readonly y: number;
  readonly room: string;
}

/** What is wrong with an event, or null where nothing is. */
export function findEventFault(event: unknown): string | null {
  if (typeof event !== "object" || event === null || Array.isArray(event))
    return "an event must be an object";
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
  if (value.includes("\0") || !value.isWellFormed()) return `${field} must be well-formed text without NUL`;
  return null;
}

function findTimeFault(value: unknown): string | null {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    return "timestamp must be a whole number of unix ms, 2000 or later";
  const fault = describeEarlyTime(value);
  return fault === null ? null : `timestamp ${fault}`;
}

function findDataFault(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "data must be an object";
  const { nesting } = TELEMETRY_LIMITS;
  return nestsWithin(value, nesting) ? null : `data must be nested at most ${nesting} levels deep`;
}

/** The position an event holds, or null: it must be finite numbers in a named room. */
export function readPosition(event: TelemetryEvent): Position | null {
  if (event.name !== EVENTS.position || !event.data) return null;
  const { x, y, room } = event.data;
  if (typeof x !== "number" || typeof y !== "number" || !Number.isFinite(x) || !Number.isFinite(y))
    return null;
  if (typeof room !== "string" || room === "") return null;
  return { x, y, room: room.isWellFormed() && !room.includes("\0") ? room : cleanRoom(room) };
}

/** A room's name as the database can hold it. */
function cleanRoom(room: string): string {
  return room.toWellFormed().replaceAll("\0", "\ufffd");
}
