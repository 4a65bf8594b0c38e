/** Negative moments: leaving a room without a success in it, after giving up, a failure, or a long time. */

import { EVENTS } from "../../../shared/event-names.ts";
import { NO_ROOM } from "../../../shared/tags.ts";
import { formatCount } from "../../../shared/words.ts";
import { inRoom } from "../../insights/describe-tag.ts";
import { formatDuration, formatEventIds, formatRoomTag, quote } from "../../insights/wording.ts";
import { findMeaning } from "../meanings.ts";
import { type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";
import type { RoomPlay, SessionPlay } from "../session-play.ts";
import { msBetween } from "../visits.ts";
import { claimAll, claimEvents, claimInterval, claimRoomTime, eventId } from "./claims.ts";
import { findLeaving, LEAVING_MS, type Leaving } from "./leaving.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/** Minimum active time in the last visit, in ms, if the player did not fail in it. */
export const MIN_STAY_MS = 30_000;

/** At most one finding per room. Leaving a room in which the player neither failed nor stayed is not a finding. */
export function findNegativeMoments(session: RecordedSession, play: SessionPlay): readonly DraftFinding[] {
  const successes = readSuccesses(play);
  return [...play.rooms.values()].flatMap((room) => {
    const leaving = findLeaving(session, play, room);
    if (leaving === null || isMaybeSuccess(successes, room)) return [];
    if (isCompletedByOthers(session, leaving)) return [];
    if (leaving.failures.length === 0 && leaving.activeMs < MIN_STAY_MS) return [];
    return toDraft(session.events, leaving);
  });
}

function toDraft(events: readonly SessionEvent[], leaving: Leaving): DraftFinding[] {
  const { room, failures, lastFailure, givenUp, left, nextRoom, silenceMs } = leaving;
  const completable = isCompletable(room);
  if (givenUp !== null && (completable || failures.length > 0)) {
    return [toGivingUpDraft(events, leaving, givenUp)];
  }
  // Nobody completes a hub or a menu. Going to another room from there may be progress.
  if (nextRoom !== null && !completable) return [];
  if (lastFailure !== null && msBetween(events, lastFailure, left) + silenceMs <= LEAVING_MS) {
    return [toFailureDraft(events, leaving, lastFailure)];
  }
  return nextRoom !== null && leaving.activeMs >= MIN_STAY_MS ? [toTimeDraft(events, leaving)] : [];
}

/** The successes of a session that matter for the rooms without a success. */
interface SessionSuccesses {
  /** The rooms whose visits contain a success that names no room. */
  readonly unnamed: ReadonlySet<string>;
  /** Index of the last success in any room; -1 if there is none. */
  readonly last: number;
}

function readSuccesses({ rooms, visitAt }: SessionPlay): SessionSuccesses {
  const unnamed = rooms.get(NO_ROOM)?.successes ?? [];
  return {
    unnamed: new Set(unnamed.flatMap((at) => visitAt[at]?.room ?? [])),
    last: [...rooms.values()].reduce((last, { successes }) => Math.max(last, successes.at(-1) ?? -1), -1),
  };
}

/**
 * Whether a success that names no room may belong to the room. NO_ROOM contains the failures of all rooms that the game does
 * not name, so any success after the last one may belong to it.
 */
function isMaybeSuccess({ unnamed, last }: SessionSuccesses, { name, failures }: RoomPlay): boolean {
  return name === NO_ROOM ? last > (failures.at(-1) ?? 0) : unnamed.has(name);
}

/** Whether another player completed the room after the last failure of this one, or after this one entered it. */
function isCompletedByOthers({ events, others = [], meanings }: RecordedSession, leaving: Leaving): boolean {
  const { room, failures, entered } = leaving;
  const since = events[failures.at(-1) ?? entered]?.timestamp ?? 0;
  return others.some((event) => {
    const meaning = findMeaning(event.name, meanings);
    const isSuccess = meaning === "success" || meaning === "successState";
    return isSuccess && event.timestamp >= since && (readRoom(event) ?? room.name) === room.name;
  });
}

/** Whether the session shows that the room can be completed: it was started, or completed at another time. */
const isCompletable = ({ starts, successes }: RoomPlay) => starts.length > 0 || successes.length > 0;

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
  const after = at === left ? "the player does not play on" : `play ends ${wait} later`;
  const then = nextRoom === null ? after : `went to ${quote(nextRoom)} ${wait} later`;
  const ids = `${formatEventIds(events, [at])}${failed ? ` after ${formatEventIds(events, failures)}` : ""}`;
  return {
    ...toMoment(leaving),
    confidence: growingConfidence(failures.length + 1, 1, failed ? 0.4 : 0.5, failed ? 0.85 : 0.6),
    title: `${verb}${what} ${reason}`,
    evidence: `${quote(name)}${inRoom(room.name)} ${reason}; ${then} (threshold: 1 failure, or ${formatDuration(MIN_STAY_MS)} in the room): ${ids}`,
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
  const after =
    failure === left ? "the player does not play on" : `play ends ${formatDuration(waitedMs)} later`;
  const then = nextRoom === null ? after : `next room: ${quote(nextRoom)}`;
  return {
    ...toMoment(leaving),
    confidence: growingConfidence(failures.length, 1, 0.3, 0.6),
    title: summary,
    evidence: `${summary}; ${then} (threshold: at most ${formatDuration(LEAVING_MS)} after a failure): ${formatEventIds(events, failures)}`,
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

function toMoment({ room, left }: Leaving): Pick<DraftFinding, "type" | "sentiment" | "tag" | "shown"> {
  const tag = formatRoomTag("negative-moment", room.name);
  return { type: "negative-moment", sentiment: "negative", tag, shown: left };
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
