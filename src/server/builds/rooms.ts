/** The testers of a build by room. */
import type { BuildCounts } from "./count-queries.ts";

/** Maximum number of rooms per build: those with the most testers. Real games have far fewer. */
const MAX_ROOMS = 2000;

/** The testers of a build in one room. */
export interface RoomTesters {
  /** The name of the room, as events name it. */
  readonly room: string;
  /** Testers of sessions for which it is known whether they completed the room. */
  readonly entered: number;
  /** Testers with a session that completed the room. */
  readonly completed: number;
}

/** The kinds of counters that the testers by room are made from. */
export const roomKinds = ["room", "room_known", "room_completed"] as const;

/** The testers of a build by room, the most visited room first. */
export function listRoomTesters(counts: BuildCounts): RoomTesters[] {
  return [...counts.list("room")]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, MAX_ROOMS)
    .map(([room]) => ({
      room,
      entered: counts.get("room_known", room),
      completed: counts.get("room_completed", room),
    }));
}
