/** Negative moments: leaving a room without a success in it, after giving up, a failure, or a long time. */

import { EVENTS } from "../../../shared/event-names.ts";
import { NO_ROOM } from "../../../shared/tags.ts";
import { inRoom } from "../../insights/tag-location.ts";
import { formatCount, formatDuration, formatEventIds, formatTag, quote } from "../../insights/wording.ts";
import type { RoomPlay, SessionPlay } from "../attempts.ts";
import { findMeaning } from "../meanings.ts";
import {
  type RecordedSession,
  readRoom,
  reportsEarlierCrash,
  type SessionEvent,
} from "../recorded-session.ts";
import { activeMsBetween, measureSilenceMs, msBetween } from "../visits.ts";
import { claimAll, claimEvents, claimInterval, claimRoomTime, eventId } from "./claims.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/** Minimum active time in the last visit, in ms, if the player did not fail in it. */
export const MIN_STAY_MS = 30_000;
/** Maximum time from giving up or the last failure to leaving, in ms. After that, it is unlikely to be the cause. */
export const LEAVING_MS = 30_000;

/** How the player left a room without a success in it. Numbers are indexes into the session's events. */
interface Leaving {
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
  /** The event with which the player gave up before leaving; null if there is none. */
  readonly givenUp: number | null;
}

/** At most one finding per room. Leaving a room in which the player neither failed nor stayed is not a finding. */
export function findNegativeMoments(session: RecordedSession, play: SessionPlay): readonly DraftFinding[] {
  const successes = readSuccesses(play);
  return [...play.rooms.values()].flatMap((room) => {
    const leaving = findLeaving(session, play, room);
    if (leaving === null || isMaybeSuccess(successes, room)) return [];
    if (leaving.failures.length === 0 && leaving.activeMs < MIN_STAY_MS) return [];
    return toDraft(session.events, leaving, isSuccessObservable(successes, room));
  });
}

function toDraft(events: readonly SessionEvent[], leaving: Leaving, observable: boolean): DraftFinding[] {
  const { failures, givenUp, left, nextRoom, silenceMs } = leaving;
  if (givenUp !== null) return [toGivingUpDraft(events, leaving, givenUp)];
  // Without a success to be seen, going to another room may be progress.
  if (nextRoom !== null && !observable) return [];
  const failure = failures.at(-1);
  if (failure !== undefined && msBetween(events, failure, left) + silenceMs <= LEAVING_MS) {
    return [toFailureDraft(events, leaving, failure)];
  }
  return nextRoom !== null && leaving.activeMs >= MIN_STAY_MS ? [toTimeDraft(events, leaving)] : [];
}

/** The successes of a session, as far as they bear on the rooms without one. */
interface SessionSuccesses {
  /** The number of named rooms, and of those with a success. */
  readonly rooms: number;
  readonly succeeded: number;
  /** The rooms whose visits contain a success that names no room. */
  readonly unnamed: ReadonlySet<string>;
  /** Index of the last success in any room; -1 if there is none. */
  readonly last: number;
}

function readSuccesses({ rooms, visitAt }: SessionPlay): SessionSuccesses {
  const named = [...rooms.values()].filter(({ name }) => name !== NO_ROOM);
  const unnamed = rooms.get(NO_ROOM)?.successes ?? [];
  return {
    rooms: named.length,
    succeeded: named.filter(({ successes }) => successes.length > 0).length,
    unnamed: new Set(unnamed.flatMap((at) => visitAt[at]?.room ?? [])),
    last: [...rooms.values()].reduce((last, { successes }) => Math.max(last, successes.at(-1) ?? -1), -1),
  };
}

/**
 * Whether a success that names no room may belong to the room. NO_ROOM holds the failures of all rooms that the game does
 * not name, so any success after the last one may belong to it.
 */
function isMaybeSuccess({ unnamed, last }: SessionSuccesses, { name, failures }: RoomPlay): boolean {
  return name === NO_ROOM ? last > (failures.at(-1) ?? 0) : unnamed.has(name);
}

/** Whether the session would show a success in the room: it was started, or at least half of the other rooms have one. */
function isSuccessObservable({ rooms, succeeded }: SessionSuccesses, room: RoomPlay): boolean {
  if (room.starts.length > 0) return true;
  const others = succeeded - (room.successes.length > 0 ? 1 : 0);
  return others > 0 && others * 2 >= rooms - 1;
}

/** How the player left a room without returning to it, or null if the play in it ended with a success. */
function findLeaving(session: RecordedSession, play: SessionPlay, room: RoomPlay): Leaving | null {
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
  return {
    room,
    entered,
    again: !stretch.isFirst,
    left,
    nextRoom,
    silenceMs,
    activeMs: room.name === NO_ROOM ? 0 : activeMsBetween(play, entered, left),
    failures: room.failures.filter((at) => at >= entered),
    givenUp: findGivingUp(session, room, { entered, left, silenceMs }),
  };
}

/** Whether the game crashed after an event. Then the player did not choose to end the session. */
function hasCrashedSince(session: RecordedSession, from: number): boolean {
  if ((session.reportedCrashes?.length ?? 0) > 0) return true;
  return session.events
    .slice(from)
    .some(
      (event) =>
        findMeaning(event.name, session.meanings) === "crash" && !reportsEarlierCrash(session, event),
    );
}

/** The last giving-up event of the visit, if the player left soon after it and did not try again. */
function findGivingUp(
  { events, meanings }: RecordedSession,
  room: RoomPlay,
  { entered, left, silenceMs }: Pick<Leaving, "entered" | "left" | "silenceMs">,
): number | null {
  const at = room.givingUp.findLast((given) => given >= entered && given <= left);
  if (at === undefined || msBetween(events, at, left) + silenceMs > LEAVING_MS) return null;
  const triedAgain = events.slice(at + 1, left).some((event) => {
    const meaning = findMeaning(event.name, meanings);
    return meaning !== null && meaning !== "crash" && meaning !== "error" && isIn(event, room);
  });
  return triedAgain ? null : at;
}

const isIn = (event: SessionEvent, { name }: RoomPlay) => (readRoom(event) ?? NO_ROOM) === name;

/** The verb in titles of giving up, by event name, and whether a room is its object. */
const givingUpWords = new Map<string, readonly [verb: string, isObject: boolean]>([
  ["skip_button", ["Skipped", true]],
  ["quit", ["Quit", false]],
  [EVENTS.rageQuit, ["Rage-quit", false]],
]);

function toGivingUpDraft(events: readonly SessionEvent[], leaving: Leaving, at: number): DraftFinding {
  const { room, left, nextRoom, failures } = leaving;
  const name = events[at]?.name ?? "";
  const [verb, isObject] = givingUpWords.get(name) ?? ["Gave up", false];
  const what = isObject && room.name !== NO_ROOM ? ` ${quote(room.name)}` : inRoom(room.name);
  const failed = failures.length > 0;
  const reason = failed
    ? `after ${formatCount(failures.length, "failure")}`
    : `after ${formatDuration(leaving.activeMs)} ${withoutCompleting(leaving)}`;
  const wait = formatDuration(msBetween(events, at, left));
  const after = at === left ? "no event of play follows" : `the last event of play is ${wait} later`;
  const then = nextRoom === null ? after : `went to ${quote(nextRoom)} ${wait} later`;
  const ids = `${formatEventIds(events, [at])}${failed ? ` after ${formatEventIds(events, failures)}` : ""}`;
  return {
    ...toMoment(leaving),
    confidence: growingConfidence(failures.length + 1, 1, failed ? 0.4 : 0.5, failed ? 0.85 : 0.6),
    title: `${verb}${what} ${reason}`,
    evidence: `${quote(name)}${inRoom(room.name)} ${reason}; ${then} (threshold: 1 failure or ${formatDuration(MIN_STAY_MS)}): ${ids}`,
    at: failures[0] ?? at,
    claims: [claimEvents(events, [at]), claimInterval(events, at, left), ...claimLeaving(events, leaving)],
  };
}

function toFailureDraft(events: readonly SessionEvent[], leaving: Leaving, failure: number): DraftFinding {
  const { room, left, nextRoom, failures } = leaving;
  const where = inRoom(room.name);
  const waitedMs = msBetween(events, failure, left);
  const waited = waitedMs < 1000 ? "right" : formatDuration(waitedMs);
  const of = failures.length === 1 ? "a failure" : `the last of ${failures.length} failures`;
  const summary =
    nextRoom === null
      ? `Stopped playing${where} ${waited} after ${of}`
      : `Left ${quote(room.name)} ${waited} after ${of}`;
  const then = nextRoom === null ? "no event of play follows" : `next room: ${quote(nextRoom)}`;
  return {
    ...toMoment(leaving),
    confidence: growingConfidence(failures.length, 1, 0.3, 0.6),
    title: summary,
    evidence: `${summary}; ${then} (threshold: at most ${formatDuration(LEAVING_MS)}): ${formatEventIds(events, failures)}`,
    at: failures[0] ?? failure,
    claims: [claimInterval(events, failure, left), ...claimLeaving(events, leaving)],
  };
}

function toTimeDraft(events: readonly SessionEvent[], leaving: Leaving): DraftFinding {
  const { room, entered, left, nextRoom, activeMs } = leaving;
  const summary = `Left ${quote(room.name)} after ${formatDuration(activeMs)} ${withoutCompleting(leaving)}`;
  return {
    ...toMoment(leaving),
    confidence: growingConfidence(activeMs, MIN_STAY_MS, 0.2, 0.6),
    title: summary,
    evidence: `${summary}; next room: ${quote(nextRoom ?? "")} (threshold: ${formatDuration(MIN_STAY_MS)}): ${formatEventIds(events, [entered, left])}`,
    at: entered,
    claims: claimLeaving(events, leaving),
  };
}

const withoutCompleting = ({ again }: Leaving) => `without completing it${again ? " again" : ""}`;

function toMoment({ room }: Leaving): Pick<DraftFinding, "type" | "sentiment" | "tag"> {
  return { type: "negative-moment", sentiment: "negative", tag: formatTag("negative-moment", room.name) };
}

/** Claims that the player left the room for the rest of the session, without a success in it. */
function claimLeaving(events: readonly SessionEvent[], leaving: Leaving): DraftFinding["claims"] {
  const { room, entered, again, left, nextRoom, activeMs, failures } = leaving;
  const { name, visits } = room;
  return [
    claimAll("failures", events, name, failures, { from: entered, to: null }),
    ...(nextRoom === null ? [{ kind: "end" as const, at: eventId(events, left) }] : []),
    ...(name === NO_ROOM
      ? []
      : [
          claimAll("successes", events, name, [], { from: again ? entered : null, to: null }),
          { kind: "left" as const, room: name, at: eventId(events, visits.at(-1)?.last ?? left), nextRoom },
          claimRoomTime(events, name, activeMs, { from: entered, to: left }),
        ]),
  ];
}
