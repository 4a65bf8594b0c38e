/**
 * Measures how long a session spent in each room before its first lasting success, to compare it with other sessions.
 */

import { EVENTS } from "../../../shared/event-names.ts";
import type { RecordedSession } from "../recorded-session.ts";
import { readRoom, type SessionEvent } from "../recorded-session.ts";
import { groupByRoom, msBetween } from "./rooms.ts";

/** Maximum time that a gap between two events counts for, in ms. Longer gaps do not count as play. */
export const MAX_GAP_MS = 60_000;
/** Rooms with longer names are ignored. */
export const MAX_ROOM_NAME_LENGTH = 200;
/** Maximum number of rooms measured in one session. */
const MAX_ROOMS = 100;

/** The time spent in one room. */
export interface RoomTime {
  /** Play time until the first lasting success, or in total if there is none, in ms. */
  readonly ms: number;
  /** Indexes of the first event in the room and of the last event that counts. */
  readonly from: number;
  readonly to: number;
  /** Whether the session has a lasting success in the room. */
  readonly completed: boolean;
}

/** The time in each room of a session. An event without a room belongs to the room that was named last. */
export function measureRoomTimes(session: RecordedSession): Map<string, RoomTime> {
  const { rooms } = groupByRoom(session);
  const isCompleted = (name: string) => (rooms.get(name)?.firstLastingSuccess ?? null) !== null;
  const times = new Map<string, RoomTime>();
  let room: string | null = null;
  let idle = false;
  for (const [at, event] of session.events.entries()) {
    if (room !== null && at > 0 && !idle && at <= (rooms.get(room)?.firstLastingSuccess ?? at)) {
      const time = times.get(room);
      if (time) times.set(room, { ...time, ms: time.ms + measureGap(session.events, at), to: at });
    }
    room = readRoom(event) ?? room;
    idle = isIdleAfter(event, idle);
    if (room === null || room.length > MAX_ROOM_NAME_LENGTH || times.has(room)) continue;
    if (times.size < MAX_ROOMS) times.set(room, { ms: 0, from: at, to: at, completed: isCompleted(room) });
  }
  return times;
}

/** The time from the previous event to this one in ms, at most MAX_GAP_MS. */
function measureGap(events: readonly SessionEvent[], at: number): number {
  return Math.min(MAX_GAP_MS, msBetween(events, at - 1, at));
}

/** Whether the game is idle or out of focus after an event. */
function isIdleAfter({ name }: SessionEvent, wasIdle: boolean): boolean {
  if (name === EVENTS.focusLost || name === EVENTS.idleStart) return true;
  return name === EVENTS.focusGained || name === EVENTS.idleEnd ? false : wasIdle;
}
