/** The time to success in each room of a session, which is compared with other sessions of the game. */

import { NO_ROOM } from "../../../shared/tags.ts";
import type { RoomPlay, SessionPlay, Stretch } from "../session-play.ts";
import { activeMsBetween, type Timeline, type Visit } from "../visits.ts";

export interface RoomTime {
  /** Active time until the first success, or in total if there is none, in ms. */
  readonly ms: number;
  /** Active time in the longest stretch of play in the room, in ms. */
  readonly longestMs: number;
}

/** The time in each named room of a session. */
export function measureRoomTimes(play: SessionPlay): Map<string, RoomTime> {
  const rooms = [...play.rooms.values()].filter(({ name }) => name !== NO_ROOM);
  return new Map(rooms.map((room) => [room.name, measureRoomTime(play, room)]));
}

function measureRoomTime(timeline: Timeline, room: RoomPlay): RoomTime {
  const [first] = room.stretches;
  const longest = findLongestStretch(timeline, room);
  return {
    ms: first ? measureStretchMs(timeline, room, first) : 0,
    longestMs: longest?.ms ?? 0,
  };
}

/** The stretch of play with the most active time in a named room, the first one if tied. */
export function findLongestStretch(
  timeline: Timeline,
  room: RoomPlay,
): { readonly stretch: Stretch; readonly ms: number } | null {
  let longest: { stretch: Stretch; ms: number } | null = null;
  for (const stretch of room.stretches) {
    const ms = measureStretchMs(timeline, room, stretch);
    if (longest === null || ms > longest.ms) longest = { stretch, ms };
  }
  return longest;
}

/** The active time in a stretch of play in a named room, in ms. */
export function measureStretchMs(timeline: Timeline, { visits }: RoomPlay, stretch: Stretch): number {
  const { from, success } = stretch;
  const last = visits.at(-1);
  const [start, end] = [timeline.visitAt[from] ?? last, success === null ? last : timeline.visitAt[success]];
  if (!start || !end) return 0;
  return activeMsUntil(timeline, end, success ?? end.end) - activeMsUntil(timeline, start, from);
}

/** The active time in the room of a visit up to an event of the visit, in ms. */
function activeMsUntil(timeline: Timeline, { activeBeforeMs, entered }: Visit, at: number): number {
  return activeBeforeMs + activeMsBetween(timeline, entered, at);
}
