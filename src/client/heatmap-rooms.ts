/** Looks up single rooms of heatmaps. A response has at most 12 rooms, and not every service can return another room. */

import { GRID, getHeatmap, type Heatmap, MAX_ROOM_NAME } from "../contract/heatmaps.ts";
import type { AnnouncingClient } from "./client.ts";

/** A heatmap, and the rooms that the service could not return. */
export interface HeatmapLookup {
  readonly heatmap: Heatmap;
  readonly unknown: ReadonlySet<string>;
}

/** Requests one room, with the same filters as the whole heatmap. */
type FetchRoom = (room: string) => Promise<Heatmap>;

/** Whether a service announces that it returns single rooms. */
export const announcesRooms = ({ announces }: Pick<AnnouncingClient<object>, "announces">) =>
  announces(`${getHeatmap.name}?room`);

/** Whether the response omits rooms that have positions. */
export function isTruncated({ rooms, eventCount }: Heatmap): boolean {
  const shown = rooms.reduce((sum, { totalEvents }) => sum + totalEvents, 0);
  return rooms.length >= GRID.maxRooms && eventCount > shown;
}

/** A heatmap of one room. The room is unknown if the service only returns the busiest rooms. */
async function findRoom(room: string, { all, one }: HeatmapRequests): Promise<HeatmapLookup> {
  const heatmap = one === null ? await all() : await one(room);
  const rooms = heatmap.rooms.filter((candidate) => candidate.room === room);
  const isUnknown = rooms.length === 0 && one === null && isTruncated(heatmap);
  return { heatmap: { ...heatmap, rooms }, unknown: new Set(isUnknown ? [room] : []) };
}

export function listRoomNames(heatmaps: readonly Heatmap[]): ReadonlySet<string> {
  return new Set(heatmaps.flatMap(({ rooms }) => rooms.map(({ room }) => room)));
}

/** Requests the named rooms that the heatmap omits, so that none of them seems to be empty. Without `fetchRoom`, they are unknown. */
export async function addMissingRooms(
  heatmap: Heatmap,
  names: ReadonlySet<string>,
  fetchRoom: FetchRoom | null,
): Promise<HeatmapLookup> {
  const known = new Set(heatmap.rooms.map(({ room }) => room));
  const missing = isTruncated(heatmap) ? [...names].filter((room) => !known.has(room)) : [];
  if (fetchRoom === null) return { heatmap, unknown: new Set(missing) };
  const unknown = new Set(missing.filter((room) => room.length > MAX_ROOM_NAME));
  const rooms = [...heatmap.rooms];
  for (const room of missing) if (!unknown.has(room)) rooms.push(...(await fetchRoom(room)).rooms);
  return { heatmap: { ...heatmap, rooms }, unknown };
}

/** The requests for the heatmap of a build: all of it, or one room. */
export interface HeatmapRequests {
  all(): Promise<Heatmap>;
  /** Null if the service only returns the busiest rooms. */
  readonly one: FetchRoom | null;
}

/** The heatmap of one build, of all rooms or of one. */
export async function readHeatmap(
  requests: HeatmapRequests,
  room: string | undefined,
): Promise<HeatmapLookup> {
  return room === undefined
    ? { heatmap: await requests.all(), unknown: new Set() }
    : await findRoom(room, requests);
}

/** The heatmaps of two builds with the same rooms, as far as the service returns them. */
export async function readHeatmaps(
  b: HeatmapRequests,
  a: HeatmapRequests,
  room: string | undefined,
): Promise<readonly [b: HeatmapLookup, a: HeatmapLookup]> {
  if (room !== undefined) return [await findRoom(room, b), await findRoom(room, a)];
  const [after, before] = [await b.all(), await a.all()];
  const names = listRoomNames([after, before]);
  return [await addMissingRooms(after, names, b.one), await addMissingRooms(before, names, a.one)];
}
