/** Stuck points: staying in one spot with input, and rooms that take far longer than in other sessions. */

import { EVENTS } from "../../../shared/event-names.ts";
import { NO_ROOM } from "../../../shared/tags.ts";
import { inRoom } from "../../insights/tag-location.ts";
import { formatCount, formatDuration, formatEventIds, formatTag, quote } from "../../insights/wording.ts";
import type { RoomPlay, SessionPlay, Stretch } from "../attempts.ts";
import { findMeaning } from "../meanings.ts";
import {
  isPlayerActivity,
  type RecordedSession,
  readRoom,
  type SessionEvent,
  type UsualRoomTime,
} from "../recorded-session.ts";
import { msBetween } from "../visits.ts";
import { claimEvents, eventId } from "./claims.ts";
import { findLongestStretch } from "./room-times.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";
import { claimStretch, describeStretchEnd } from "./stretches.ts";

/**
 * How many times the median of other sessions a room must take. Players differ by a factor of two without being stuck.
 */
export const SLOW_FACTOR = 3;
/** Minimum time in a room, in ms, so that three times a short median does not count. */
export const MIN_SLOW_MS = 120_000;
/** Minimum time in one spot, in ms. */
export const STILL_MS = 45_000;
/** Minimum inputs during that time. With fewer, the player may be reading or watching. */
export const STILL_INPUTS = 10;
/** The radius of a spot, as a share of the diagonal of the area that the session visited in the room. */
export const STILL_SHARE = 0.05;
/** Minimum positions in a room to measure its extent. */
export const MIN_STILL_POSITIONS = 20;
/** Maximum time between two positions of a stay, in ms. After longer gaps, the player may have been elsewhere. */
export const MAX_POSITION_GAP_MS = 10_000;

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
  { name, visits }: RoomPlay,
  { stretch, ms }: { readonly stretch: Stretch; readonly ms: number },
  usual: UsualRoomTime,
): DraftFinding {
  const { medianMs, sessions, build, environment } = usual;
  const spent = `Spent ${formatDuration(ms)}${inRoom(name)} ${describeStretchEnd(stretch)}`;
  const others = `${formatCount(sessions, "session")} of build ${quote(build)}`;
  const to = stretch.success ?? visits.at(-1)?.end ?? play.lastActivity;
  return {
    type: "stuck-point",
    sentiment: "negative",
    confidence: growingConfidence(ms, Math.max(MIN_SLOW_MS, medianMs * SLOW_FACTOR), 0.3, 0.6),
    tag: formatTag("stuck-point", name),
    title: `${spent}; the median of ${others} is ${formatDuration(medianMs)}`,
    evidence: `${spent}; the median time to the first success in ${others} in ${quote(environment)} is ${formatDuration(medianMs)} (threshold: ${SLOW_FACTOR} times the median, and at least ${formatDuration(MIN_SLOW_MS)}): ${formatEventIds(events, [stretch.from, to])}`,
    at: stretch.from,
    claims: [
      claimEvents(events, [stretch.from, to]),
      ...claimStretch(events, name, ms, stretch),
      { kind: "usual-time", room: name, build, environment, sessions, medianMs },
    ],
  };
}

/** A period in which the player stayed in one spot of a room. */
interface Stay {
  readonly x: number;
  readonly y: number;
  readonly from: number;
  to: number;
  inputs: number;
}

interface RoomMovement {
  readonly stays: Stay[];
  positions: number;
  readonly low: [x: number, y: number];
  readonly high: [x: number, y: number];
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

/**
 * The stays in each room with positions. Takes two passes, because the radius of a spot depends on the extent of the
 * room.
 */
function trackMovement(session: RecordedSession): ReadonlyMap<string, RoomMovement> {
  const { events } = session;
  const byRoom = measureExtents(events);
  let current: { readonly room: string; readonly stay: Stay } | null = null;
  /** Inputs since the last position. They count only if the next position is in the same spot. */
  let inputs = 0;
  for (const [at, event] of events.entries()) {
    const position = readRoomPosition(event);
    if (!position) {
      // Leaving the room, or a pause, ends a stay.
      if (current !== null && (readRoom(event) ?? current.room) !== current.room) current = null;
      if (event.name === EVENTS.focusLost || event.name === EVENTS.idleStart) current = null;
      if (isInput(event, session)) inputs += 1;
      continue;
    }
    const movement = byRoom.get(position.room);
    const isSameStay =
      current?.room === position.room &&
      msBetween(events, current.stay.to, at) <= MAX_POSITION_GAP_MS &&
      isNear(movement, current.stay, position);
    if (current !== null && isSameStay) {
      current.stay.to = at;
      current.stay.inputs += inputs;
    } else {
      const stay = { x: position.x, y: position.y, from: at, to: at, inputs: 0 };
      movement?.stays.push(stay);
      current = { room: position.room, stay };
    }
    inputs = 0;
  }
  return byRoom;
}

/** Whether an event other than a position shows an action of the player, rather than a fault of the game. */
function isInput(event: SessionEvent, { meanings }: RecordedSession): boolean {
  const meaning = findMeaning(event.name, meanings);
  return (
    isPlayerActivity(event) && event.name !== EVENTS.fpsDrop && meaning !== "crash" && meaning !== "error"
  );
}

function measureExtents(events: readonly SessionEvent[]): Map<string, RoomMovement> {
  const byRoom = new Map<string, RoomMovement>();
  for (const event of events) {
    const position = readRoomPosition(event);
    if (!position) continue;
    const { room, x, y } = position;
    const movement: RoomMovement = byRoom.get(room) ?? { stays: [], positions: 0, low: [x, y], high: [x, y] };
    byRoom.set(room, movement);
    movement.positions += 1;
    movement.low.splice(0, 2, Math.min(movement.low[0], x), Math.min(movement.low[1], y));
    movement.high.splice(0, 2, Math.max(movement.high[0], x), Math.max(movement.high[1], y));
  }
  return byRoom;
}

function isNear(movement: RoomMovement | undefined, stay: Stay, position: { x: number; y: number }): boolean {
  if (!movement) return false;
  const { low, high } = movement;
  const radius = STILL_SHARE * Math.hypot(high[0] - low[0], high[1] - low[1]);
  return Math.hypot(position.x - stay.x, position.y - stay.y) <= radius;
}

function readRoomPosition(event: SessionEvent): { room: string; x: number; y: number } | null {
  if (event.name !== EVENTS.position) return null;
  const [room, x, y] = [readRoom(event), event.data?.x, event.data?.y];
  if (room === null || !Number.isFinite(x) || !Number.isFinite(y)) return null;
  return { room, x: x as number, y: y as number };
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
    tag: formatTag("stuck-point", room),
    title: summary,
    evidence: `${summary} (threshold: ${formatDuration(STILL_MS)} within ${STILL_SHARE * 100}% of the room, with ${STILL_INPUTS} other events): ${formatEventIds(events, [from, to])}`,
    at: from,
    claims: [{ kind: "still", room, from: eventId(events, from), to: eventId(events, to), ms, inputs }],
  };
}
