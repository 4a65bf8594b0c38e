/** How the data of telemetry events reads: the room that it names, and its other fields. */

export type EventData = Readonly<Record<string, unknown>> | null | undefined;

/** The room in the data of an event, or null. */
export function readEventRoom(data: EventData): string | null {
  const room = data?.room;
  return typeof room === "string" || typeof room === "number" ? String(room) : null;
}

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
