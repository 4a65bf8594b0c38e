/** Stuck points: staying in one spot with input, and rooms that take far longer than in other sessions. */

import { NO_ROOM } from "../../../shared/tags.ts";
import { formatCount } from "../../../shared/words.ts";
import { inRoom } from "../../insights/describe-tag.ts";
import { formatDuration, formatEventIds, formatRoomTag, quote } from "../../insights/wording.ts";
import type { RecordedSession, SessionEvent, UsualRoomTime } from "../recorded-session.ts";
import type { RoomPlay, SessionPlay, Stretch } from "../session-play.ts";
import { msBetween } from "../visits.ts";
import { claimEvents, claimStretch, describeStretchEnd, eventId } from "./claims.ts";
import { STILL_SHARE, type Stay, trackMovement } from "./movement.ts";
import { findLongestStretch, measureStretchMs } from "./room-times.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/**
 * How many times the median of other sessions a room must take. Players differ by a factor of two without being stuck.
 */
const SLOW_FACTOR = 3;
/** Minimum time in a room, in ms, so that three times a short median does not count. */
export const MIN_SLOW_MS = 120_000;
/** Minimum time in one spot, in ms. */
export const STILL_MS = 45_000;
/** Minimum inputs during that time. With fewer, the player may be reading or watching. */
export const STILL_INPUTS = 10;
/** Minimum positions in a room to measure its extent. */
const MIN_STILL_POSITIONS = 20;

/** At most one finding per room. Staying in one spot takes precedence, because it is more specific. */
export function findStuckPoints(session: RecordedSession, play: SessionPlay): readonly DraftFinding[] {
  const still = findStandingStill(session, play);
  const slow = findSlowRooms(session, play).filter((draft) => !still.some(({ tag }) => tag === draft.tag));
  return [...still, ...slow];
}

/** Rooms that took much longer than in other sessions of the game, with their longest stretch of play. */
function findSlowRooms(
  { events, usualRoomTimes }: RecordedSession,
  play: SessionPlay,
): readonly DraftFinding[] {
  return [...play.rooms.values()].flatMap((room) => {
    const usual = usualRoomTimes?.get(room.name);
    if (usual === undefined || room.name === NO_ROOM) return [];
    const longest = findLongestStretch(play, room);
    if (!longest || longest.ms < MIN_SLOW_MS || longest.ms < usual.medianMs * SLOW_FACTOR) return [];
    return toSlowDraft(events, play, room, longest, usual);
  });
}

function toSlowDraft(
  events: readonly SessionEvent[],
  play: SessionPlay,
  room: RoomPlay,
  { stretch, ms }: { readonly stretch: Stretch; readonly ms: number },
  usual: UsualRoomTime,
): DraftFinding {
  const { name, visits } = room;
  const { medianMs, sessions, build, environment } = usual;
  const slowMs = Math.max(MIN_SLOW_MS, medianMs * SLOW_FACTOR);
  const isSlowAt = (at: number) =>
    play.visitAt[at]?.room === name && measureStretchMs(play, room, { ...stretch, success: at }) >= slowMs;
  const spent = `Spent ${formatDuration(ms)}${inRoom(name)} ${describeStretchEnd(stretch)}`;
  const others = `${formatCount(sessions, "session")} of build ${quote(build)}`;
  const to = stretch.success ?? visits.at(-1)?.end ?? play.lastActivity;
  return {
    type: "stuck-point",
    sentiment: "negative",
    confidence: growingConfidence(ms, slowMs, 0.3, 0.6),
    tag: formatRoomTag("stuck-point", name),
    title: `${spent}; the median of ${others} is ${formatDuration(medianMs)}`,
    evidence: `${spent}; the median time to the first success in ${others} in ${quote(environment)} is ${formatDuration(medianMs)} (threshold: ${SLOW_FACTOR} times the median, and at least ${formatDuration(MIN_SLOW_MS)}): ${formatEventIds(events, [stretch.from, to])}`,
    at: stretch.from,
    shown: events.findIndex((_, at) => at > stretch.from && isSlowAt(at)),
    claims: [
      claimEvents(events, [stretch.from, to]),
      ...claimStretch(events, name, ms, stretch),
      { kind: "usual-time", room: name, build, environment, sessions, medianMs },
    ],
  };
}

function findStandingStill(session: RecordedSession, { rooms }: SessionPlay): readonly DraftFinding[] {
  const { events } = session;
  const drafts: DraftFinding[] = [];
  for (const [room, movement] of trackMovement(session)) {
    if (movement.positions < MIN_STILL_POSITIONS) continue;
    const [stay] = movement.stays
      .filter(({ from, to, inputs }) => msBetween(events, from, to) >= STILL_MS && inputs >= STILL_INPUTS)
      .filter(({ from, to }) => !rooms.get(room)?.successes.some((at) => at >= from && at <= to))
      .sort((a, b) => msBetween(events, b.from, b.to) - msBetween(events, a.from, a.to));
    if (stay) drafts.push(toStillDraft(events, room, stay));
  }
  return drafts;
}

function toStillDraft(
  events: readonly SessionEvent[],
  room: string,
  { from, to, inputs }: Stay,
): DraftFinding {
  const where = inRoom(room);
  const ms = msBetween(events, from, to);
  const summary = `Stayed in one spot${where} for ${formatDuration(ms)}, with ${formatCount(inputs, "other event")} of play`;
  return {
    type: "stuck-point",
    sentiment: "negative",
    confidence: growingConfidence(ms, STILL_MS, 0.3, 0.6),
    tag: formatRoomTag("stuck-point", room),
    title: summary,
    evidence: `${summary} (threshold: ${formatDuration(STILL_MS)} within ${STILL_SHARE * 100}% of the room, with ${STILL_INPUTS} other events): ${formatEventIds(events, [from, to])}`,
    at: from,
    shown: events.findIndex((_, at) => at > from && msBetween(events, from, at) >= STILL_MS),
    claims: [{ kind: "still", room, from: eventId(events, from), to: eventId(events, to), ms, inputs }],
  };
}
