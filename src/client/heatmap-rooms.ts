/** Looks up single rooms of heatmaps: an answer has at most 12 rooms, and an older service cannot be asked for another. */
import { findIgnoredExtensions } from "../contract/applied.ts";
import { GRID, getHeatmap, type Heatmap, MAX_ROOM_NAME } from "../contract/heatmaps.ts";

/** A heatmap, and the rooms that its service could not say anything about. */
export interface HeatmapLookup {
  readonly heatmap: Heatmap;
  readonly unknown: ReadonlySet<string>;
}

/** Requests the heatmap of one room, with the filters of the heatmap it belongs to. */
export type FetchRoom = (room: string) => Promise<Heatmap>;

/** Whether the answer leaves out rooms that have positions. */
export function isTruncated({ rooms, eventCount }: Heatmap): boolean {
  const shown = rooms.reduce((sum, { totalEvents }) => sum + totalEvents, 0);
  return rooms.length >= GRID.maxRooms && eventCount > shown;
}

/** The heatmap with this room alone, which is unknown where an older service returned the busiest rooms instead. */
export async function findRoom(room: string, ask: FetchRoom): Promise<HeatmapLookup> {
  const answer = await ask(room);
  const rooms = answer.rooms.filter((one) => one.room === room);
  const isUnknown = rooms.length === 0 && ignoresRoomParameter(room, answer) && isTruncated(answer);
  return { heatmap: { ...answer, rooms }, unknown: new Set(isUnknown ? [room] : []) };
}

/** The names of all rooms in the heatmaps. */
export function listRoomNames(heatmaps: readonly Heatmap[]): ReadonlySet<string> {
  return new Set(heatmaps.flatMap(({ rooms }) => rooms.map(({ room }) => room)));
}

/** Adds the rooms of these names that were cut off, so that none of them is taken for empty. */
export async function addMissingRooms(
  heatmap: Heatmap,
  names: ReadonlySet<string>,
  ask: FetchRoom,
): Promise<HeatmapLookup> {
  const known = new Set(heatmap.rooms.map(({ room }) => room));
  const missing = isTruncated(heatmap) ? [...names].filter((room) => !known.has(room)) : [];
  const unknown = new Set(missing.filter((room) => room.length > MAX_ROOM_NAME));
  const rooms = [...heatmap.rooms];
  for (const room of missing) {
    if (unknown.has(room)) continue;
    const answer = await ask(room);
    // A service that ignores the parameter once does so every time.
    if (ignoresRoomParameter(room, answer)) return { heatmap, unknown: new Set(missing) };
    rooms.push(...answer.rooms);
  }
  return { heatmap: { ...heatmap, rooms }, unknown };
}

const ignoresRoomParameter = (room: string, answer: Heatmap) =>
  findIgnoredExtensions(getHeatmap, { room }, answer).length > 0;
