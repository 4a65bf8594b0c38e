/** Valid telemetry events, and what the service reads from them. */
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

/** Where an event happened, as heatmaps use it. */
export interface Position {
  readonly x: number;
  readonly y: number;
  readonly room: string;
}

/** Reads where an event happened. Null if it has no finite coordinates or no room name. */
export function readPosition({ data }: TelemetryEvent): Position | null {
  if (!data) return null;
  const { x, y, room } = data;
  if (typeof x !== "number" || typeof y !== "number" || !Number.isFinite(x) || !Number.isFinite(y))
    return null;
  if (typeof room !== "string" || room === "") return null;
  return { x, y, room: room.isWellFormed() && !room.includes("\0") ? room : cleanRoom(room) };
}

/** Replaces characters that the database cannot store in a room's name. */
function cleanRoom(room: string): string {
  return room.toWellFormed().replaceAll("\0", "\ufffd");
}
