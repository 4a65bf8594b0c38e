/** How telemetry events are shown to people: their offset, room and data. */

import { readEventRoom } from "../../charts/event-room.ts";

export { readEventRoom };

type EventData = Readonly<Record<string, unknown>> | null | undefined;

/** The data of an event except its room, such as `x 1.5, y -2, cause lava`; null if there is none. */
export function describeData(data: EventData): string | null {
  const room = readEventRoom(data);
  const fields = Object.entries(data ?? {}).filter(([name]) => name !== "room" || room === null);
  if (fields.length === 0) return null;
  return fields.map(([name, value]) => `${name} ${formatValue(value)}`).join(", ");
}

/** Numbers have 7 significant digits: coordinates often have 15, which say nothing more. */
function formatValue(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(typeof value === "number" ? Number(value.toPrecision(7)) : value);
}

/** A time within a session, such as `1:02.5` or `-0:03.0`. */
export function formatOffset(ms: number): string {
  const tenths = Math.round(Math.abs(ms) / 100);
  const minutes = Math.floor(tenths / 600);
  const seconds = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return `${ms < 0 && tenths > 0 ? "-" : ""}${minutes}:${seconds}`;
}
