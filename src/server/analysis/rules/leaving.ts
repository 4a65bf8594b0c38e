/** How players leave rooms without a success: where they go, after what, and whether they gave up. */

import { NO_ROOM } from "../../../shared/tags.ts";
import { findMeaning } from "../meanings.ts";
import {
  type RecordedSession,
  readRoom,
  reportsEarlierCrash,
  type SessionEvent,
} from "../recorded-session.ts";
import type { RoomPlay, SessionPlay } from "../session-play.ts";
import { activeMsBetween, measureSilenceMs } from "../visits.ts";

/** Maximum time from the last failure to leaving, in ms. After that, it is unlikely to be the cause. */
export const LEAVING_MS = 30_000;
/**
 * Maximum active time from a giving-up event to leaving, in ms. Giving up takes effect at once: a player who goes on for
 * longer skipped or quit something else, such as a cutscene.
 */
export const GIVING_UP_MS = 5000;

/** How the player left a room without a success in it. Numbers are indexes into the session's events. */
export interface Leaving {
  readonly room: RoomPlay;
  /** The start of the last visit, or of the stretch if that is later. */
  readonly entered: number;
  /** Whether the room has an earlier success. */
  readonly again: boolean;
  /** The event that names the next room, or the last activity of the session. */
  readonly left: number;
  /** The room that the player went to; null if the session ended. */
  readonly nextRoom: string | null;
  /** Active time after `left` in which the player may have gone on playing; 0 if the player went to another room. */
  readonly silenceMs: number;
  /** Active time in the last visit. */
  readonly activeMs: number;
  /** Failures in the last visit. */
  readonly failures: readonly number[];
  /** The last failure in the last visit; null if there is none, or if the room was in a solved state after it. */
  readonly lastFailure: number | null;
  /** The event with which the player gave up before leaving; null if there is none. */
  readonly givenUp: number | null;
}

/** How the player left a room without returning to it, or null if the play in it ended with a success. */
export function findLeaving(session: RecordedSession, play: SessionPlay, room: RoomPlay): Leaving | null {
  const visit = room.visits.at(-1);
  const stretch = room.stretches.at(-1);
  if (!visit || !stretch || stretch.success !== null) return null;
  const next = play.visitAt[visit.end];
  const nextRoom = room.name === NO_ROOM || !next || next === visit ? null : next.room;
  if (nextRoom === null && (!session.ended || hasCrashedSince(session, visit.entered))) return null;
  const left = nextRoom === null ? play.lastActivity : visit.end;
  const entered = Math.max(visit.entered, stretch.from);
  if (left < entered) return null;
  const silenceMs = nextRoom === null ? measureSilenceMs(play) : 0;
  const failures = room.failures.filter((at) => at >= entered);
  return {
    room,
    entered,
    again: !stretch.isFirst,
    left,
    nextRoom,
    silenceMs,
    activeMs: room.name === NO_ROOM ? 0 : activeMsBetween(play, entered, left),
    failures,
    lastFailure: findLastFailure(session, room, failures, left),
    givenUp: findGivingUp(session, play, room, { entered, left, silenceMs }),
  };
}

/** The last failure of a room, unless the room was in a solved state after it. Then the failure is not what came last. */
function findLastFailure(
  { events, meanings }: RecordedSession,
  room: RoomPlay,
  failures: readonly number[],
  left: number,
): number | null {
  const last = failures.at(-1);
  if (last === undefined) return null;
  const isSolved = events
    .slice(last + 1, left + 1)
    .some(
      (event) =>
        findMeaning(event.name, meanings) === "successState" && (room.name === NO_ROOM || isIn(event, room)),
    );
  return isSolved ? null : last;
}

/** Whether the game crashed after an event. Then the player did not choose to end the session. */
function hasCrashedSince(session: RecordedSession, from: number): boolean {
  if ((session.reportedCrashes?.length ?? 0) > 0) return true;
  const since = session.events[from]?.timestamp ?? 0;
  // A crash ends the play of all players, whichever of them it names.
  const others = session.others?.filter(({ timestamp }) => timestamp >= since) ?? [];
  return [...session.events.slice(from), ...others].some(
    (event) => findMeaning(event.name, session.meanings) === "crash" && !reportsEarlierCrash(session, event),
  );
}

/** The last giving-up event of the visit, if the player left soon after it and did not try again. */
function findGivingUp(
  { events, meanings }: RecordedSession,
  play: SessionPlay,
  room: RoomPlay,
  { entered, left, silenceMs }: Pick<Leaving, "entered" | "left" | "silenceMs">,
): number | null {
  const at = room.givingUp.findLast((given) => given >= entered && given <= left);
  if (at === undefined || activeMsBetween(play, at, left) + silenceMs > GIVING_UP_MS) return null;
  const triedAgain = events.slice(at + 1, left).some((event) => {
    const meaning = findMeaning(event.name, meanings);
    return meaning !== null && meaning !== "crash" && meaning !== "error" && isIn(event, room);
  });
  return triedAgain ? null : at;
}

const isIn = (event: SessionEvent, { name }: RoomPlay) => (readRoom(event) ?? NO_ROOM) === name;
