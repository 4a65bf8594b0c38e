/** Stuck points: staying in one spot with input, and rooms that take far longer than in other sessions. */

import { EVENTS } from "../../../shared/event-names.ts";
import { inRoom } from "../../insights/tag-location.ts";
import { formatCount, formatDuration, formatEventIds, formatTag } from "../../insights/wording.ts";
import { isPlayerActivity, type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";
import { RUN_THRESHOLD } from "./difficulty-spike.ts";
import { measureRoomTimes, type RoomTime } from "./room-times.ts";
import { type ActivityByRoom, msBetween } from "./rooms.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

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

/** At most one finding per room. Staying in one spot takes precedence, because it is more specific. */
export function findStuckPoints(session: RecordedSession, byRoom: ActivityByRoom): readonly DraftFinding[] {
  const still = findStandingStill(session.events, byRoom);
  const slow = findSlowRooms(session, byRoom).filter((draft) => !still.some(({ tag }) => tag === draft.tag));
  return [...still, ...slow];
}

/**
 * Rooms that took much longer than in the game's other sessions, except those with enough failures for a difficulty
 * spike.
 */
function findSlowRooms(session: RecordedSession, { rooms }: ActivityByRoom): readonly DraftFinding[] {
  if (!session.usualRoomTimes || session.usualRoomTimes.size === 0) return [];
  const drafts: DraftFinding[] = [];
  for (const [room, time] of measureRoomTimes(session)) {
    const medianMs = session.usualRoomTimes.get(room)?.medianMs;
    if (medianMs === undefined || time.ms < MIN_SLOW_MS || time.ms < medianMs * SLOW_FACTOR) continue;
    if ((rooms.get(room)?.failures.length ?? 0) >= RUN_THRESHOLD) continue;
    drafts.push(toSlowDraft(session.events, room, time, medianMs));
  }
  return drafts;
}

function toSlowDraft(
  events: readonly SessionEvent[],
  room: string,
  { ms, from, to }: RoomTime,
  medianMs: number,
): DraftFinding {
  const where = inRoom(room);
  const median = formatDuration(medianMs);
  return {
    type: "stuck-point",
    sentiment: "negative",
    confidence: growingConfidence(ms, Math.max(MIN_SLOW_MS, medianMs * SLOW_FACTOR), 0.5, 0.9),
    tag: formatTag("stuck-point", room),
    title: `Spent ${formatDuration(ms)}${where}, compared with a median of ${median}`,
    evidence: `${formatDuration(ms)} of play${where} up to the first lasting success, if any, compared with a median of ${median} in other sessions (threshold: ${SLOW_FACTOR} times the median, at least ${formatDuration(MIN_SLOW_MS)}): ${formatEventIds(events, [from, to])}`,
    at: from,
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

function findStandingStill(
  events: readonly SessionEvent[],
  { rooms }: ActivityByRoom,
): readonly DraftFinding[] {
  const drafts: DraftFinding[] = [];
  for (const [room, movement] of trackMovement(events)) {
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
function trackMovement(events: readonly SessionEvent[]): ReadonlyMap<string, RoomMovement> {
  const byRoom = measureExtents(events);
  let room: string | null = null;
  for (const [at, event] of events.entries()) {
    const position = readRoomPosition(event);
    const stay = room === null ? undefined : byRoom.get(room)?.stays.at(-1);
    if (!position) {
      if (stay && isPlayerActivity(event) && (readRoom(event) ?? room) === room) stay.inputs += 1;
      continue;
    }
    // Leaving the room ends a stay. The next position in the room starts a new one.
    const near = position.room === room && stay !== undefined && isNear(byRoom.get(room), stay, position);
    if (near) stay.to = at;
    else byRoom.get(position.room)?.stays.push({ x: position.x, y: position.y, from: at, to: at, inputs: 0 });
    room = position.room;
  }
  return byRoom;
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
  const summary = `Stayed in one spot${where} for ${formatDuration(ms)}, with ${formatCount(inputs, "input")}`;
  return {
    type: "stuck-point",
    sentiment: "negative",
    confidence: growingConfidence(ms, STILL_MS, 0.5, 0.9),
    tag: formatTag("stuck-point", room),
    title: summary,
    evidence: `${summary} (threshold: ${formatDuration(STILL_MS)} within ${STILL_SHARE * 100}% of the room, with ${STILL_INPUTS} inputs): ${formatEventIds(events, [from, to])}`,
    at: from,
  };
}
