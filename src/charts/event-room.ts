/** The room that an event names. */

/** The room in the data of an event, or null. */
export function readEventRoom(data: Readonly<Record<string, unknown>> | null | undefined): string | null {
  const room = data?.room;
  return typeof room === "string" || typeof room === "number" ? String(room) : null;
}
