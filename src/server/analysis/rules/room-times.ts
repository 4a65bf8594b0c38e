/** Times in rooms: how long a session played in each before it was mastered, for comparing with other sessions. */

import { EVENTS } from "../../../shared/event-names.ts";
import type { RecordedSession } from "../recorded-session.ts";
import { readRoom, type SessionEvent } from "../recorded-session.ts";
import { groupByRoom, msBetween } from "./rooms.ts";

/** Longer gaps between events count as this much, ms: nobody plays that long without an event. */
export const MAX_GAP_MS = 60_000;
/** Longer names are not compared: no room has one. */
export const MAX_ROOM_NAME_LENGTH = 200;
/** Rooms of a session that are kept. */
const MAX_ROOMS = 100;

/** The time in one room. */
export interface RoomTime {
  /** Played there until the first success that lasted, else in all, ms. */
  readonly ms: number;
  /** Positions of the first event there, and of the last one that counts. */
  readonly from: number;
  readonly to: number;
}

/** The times of a session's rooms, by room. An event without a room belongs to the room named last. */
export function measureRoomTimes(play: RecordedSession): Map<string, RoomTime> {
  const { rooms } = groupByRoom(play);
  const times = new Map<string, RoomTime>();
  let room: string | null = null;
  let idle = false;
  for (const [at, event] of play.events.entries()) {
    if (room !== null && at > 0 && !idle && at <= (rooms.get(room)?.firstLastingSuccess ?? at)) {
      const known = times.get(room);
      if (known) times.set(room, { ...known, ms: known.ms + playedBetween(play.events, at), to: at });
    }
    room = readRoom(event) ?? room;
    idle = isAway(event, idle);
    if (room === null || room.length > MAX_ROOM_NAME_LENGTH || times.has(room)) continue;
    if (times.size < MAX_ROOMS) times.set(room, { ms: 0, from: at, to: at });
  }
  return times;
}

function playedBetween(events: readonly SessionEvent[], at: number): number {
  return Math.min(MAX_GAP_MS, msBetween(events, at - 1, at));
}

/** Whether nobody plays after an event. */
function isAway({ name }: SessionEvent, before: boolean): boolean {
  if (name === EVENTS.focusLost || name === EVENTS.idleStart) return true;
  return name === EVENTS.focusGained || name === EVENTS.idleEnd ? false : before;
}
