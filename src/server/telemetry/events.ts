/** Valid telemetry events, and what the service reads from them. */
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
