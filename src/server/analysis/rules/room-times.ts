/** The time to success in each room of a session, which is compared with other sessions of the game. */

import { NO_ROOM } from "../../../shared/tags.ts";
import { type RoomPlay, readPlay, type Stretch } from "../attempts.ts";
import type { RecordedSession } from "../recorded-session.ts";
import { activeMsBetween, type Timeline } from "../visits.ts";

/** Maximum number of rooms measured in one session. */
const MAX_ROOMS = 100;

/** The time spent in one room. */
export interface RoomTime {
  /** Active time until the first success, or in total if there is none, in ms. */
  readonly ms: number;
  /** Index of the event that first entered the room. */
  readonly from: number;
  /** Index of the first success, or of the event that ended the last visit if there is none. */
  readonly to: number;
  /** Whether the session has a success in the room. */
  readonly completed: boolean;
}

/** The time in each named room of a session. */
export function measureRoomTimes(session: RecordedSession): Map<string, RoomTime> {
  const play = readPlay(session);
  const rooms = [...play.rooms.values()].filter(({ name }) => name !== NO_ROOM);
  return new Map(rooms.slice(0, MAX_ROOMS).map((room) => [room.name, measureTimeToSuccess(play, room)]));
}

/** The time in one named room. */
function measureTimeToSuccess(timeline: Timeline, room: RoomPlay): RoomTime {
  const from = room.visits[0]?.entered ?? 0;
  const [success = null] = room.successes;
  const to = success ?? room.visits.at(-1)?.end ?? from;
  return { ms: measureActiveMs(timeline, room.visits, from, to), from, to, completed: success !== null };
}

/** The active time in a stretch of play, in ms. */
export function measureStretchMs(timeline: Timeline, room: RoomPlay, { from, success }: Stretch): number {
  return measureActiveMs(timeline, room.visits, from, success ?? timeline.visitAt.length - 1);
}

/** The active time in visits between two events, in ms. */
function measureActiveMs(timeline: Timeline, visits: RoomPlay["visits"], from: number, to: number): number {
  return visits
    .map(({ entered, end }) => activeMsBetween(timeline, Math.max(entered, from), Math.min(end, to)))
    .reduce((total, ms) => total + Math.max(0, ms), 0);
}
