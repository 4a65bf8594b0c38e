/** Stuck points: input that leads nowhere, and rooms that take far longer than they usually do. */

import { EVENTS } from "../../../shared/event-names.ts";
import { inRoom } from "../../insights/tag-location.ts";
import { formatCount, formatDuration, formatEventIds, formatTag } from "../../insights/wording.ts";
import { isPlayerActivity, type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";
import { RUN_THRESHOLD } from "./difficulty-spike.ts";
import { measureRoomTimes, type RoomTime } from "./room-times.ts";
import { type ActivityByRoom, msBetween } from "./rooms.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/** How many times the game's median a room must take: people differ by a factor of two without being stuck. */
export const SLOW_FACTOR = 3;
/** And at least so long, in ms: three times a short while is still short. */
export const MIN_SLOW_MS = 120_000;
/** Standing still with input for so long, in ms, is more than looking around. */
export const STILL_MS = 45_000;
/** Inputs during it: fewer tell of reading or watching. */
export const STILL_INPUTS = 10;
/** The share of the room's diagonal, as far as the session walked it, that counts as standing still. */
export const STILL_SHARE = 0.05;
/** Positions in a room below which its extent says nothing. */
export const MIN_STILL_POSITIONS = 20;

/** At most one finding a room: standing still is told before slowness, for its place is known. */
export function findStuckPoints(play: RecordedSession, byRoom: ActivityByRoom): readonly DraftFinding[] {
  const still = findStandingStill(play.events, byRoom);
  const slow = findSlowRooms(play, byRoom).filter((draft) => !still.some(({ tag }) => tag === draft.tag));
  return [...still, ...slow];
}

/** Rooms that took much longer than in the game's other sessions; those told as difficult are told already. */
function findSlowRooms(play: RecordedSession, { rooms }: ActivityByRoom): readonly DraftFinding[] {
  if (!play.medianMsByRoom || play.medianMsByRoom.size === 0) return [];
  const found: DraftFinding[] = [];
  for (const [room, time] of measureRoomTimes(play)) {
    const usual = play.medianMsByRoom.get(room);
    if (usual === undefined || time.ms < MIN_SLOW_MS || time.ms < usual * SLOW_FACTOR) continue;
    if ((rooms.get(room)?.failures.length ?? 0) >= RUN_THRESHOLD) continue;
    found.push(toSlowDraft(play.events, room, time, usual));
  }
  return found;
}

function toSlowDraft(
  events: readonly SessionEvent[],
  room: string,
  { ms, from, to }: RoomTime,
  usual: number,
): DraftFinding {
  const where = inRoom(room);
  const median = formatDuration(usual);
  return {
    type: "stuck-point",
    sentiment: "negative",
    confidence: growingConfidence(ms, Math.max(MIN_SLOW_MS, usual * SLOW_FACTOR), 0.5, 0.9),
    tag: formatTag("stuck-point", room),
    title: `Spent ${formatDuration(ms)}${where} without progress, where ${median} is usual`,
    evidence: `${formatDuration(ms)} of play${where} before it was mastered or left, ${median} at the median of other sessions (threshold ${SLOW_FACTOR} times, at least ${formatDuration(MIN_SLOW_MS)}): ${formatEventIds(events, [from, to])}`,
    at: from,
  };
}

/** Somebody at one place of a room. */
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
  const found: DraftFinding[] = [];
  for (const [room, walked] of trackMovement(events)) {
    if (walked.positions < MIN_STILL_POSITIONS) continue;
    const [stay] = walked.stays
      .filter((one) => msBetween(events, one.from, one.to) >= STILL_MS && one.inputs >= STILL_INPUTS)
      .filter((one) => !rooms.get(room)?.successes.some((at) => at >= one.from && at <= one.to))
      .sort((a, b) => msBetween(events, b.from, b.to) - msBetween(events, a.from, a.to));
    if (stay) found.push(toStillDraft(events, room, stay));
  }
  return found;
}

/** For each room that was walked, the times at one place: two passes, for the extent is known after the first. */
function trackMovement(events: readonly SessionEvent[]): ReadonlyMap<string, RoomMovement> {
  const byRoom = measureExtents(events);
  let room: string | null = null;
  for (const [at, event] of events.entries()) {
    const place = readRoomPosition(event);
    const stay = room === null ? undefined : byRoom.get(room)?.stays.at(-1);
    if (!place) {
      if (stay && isPlayerActivity(event) && (readRoom(event) ?? room) === room) stay.inputs += 1;
      continue;
    }
    // Leaving the room ends a stay: the next position there begins another.
    const near = place.room === room && stay !== undefined && isNear(byRoom.get(room), stay, place);
    if (near) stay.to = at;
    else byRoom.get(place.room)?.stays.push({ x: place.x, y: place.y, from: at, to: at, inputs: 0 });
    room = place.room;
  }
  return byRoom;
}

function measureExtents(events: readonly SessionEvent[]): Map<string, RoomMovement> {
  const byRoom = new Map<string, RoomMovement>();
  for (const event of events) {
    const place = readRoomPosition(event);
    if (!place) continue;
    const { room, x, y } = place;
    const walked: RoomMovement = byRoom.get(room) ?? { stays: [], positions: 0, low: [x, y], high: [x, y] };
    byRoom.set(room, walked);
    walked.positions += 1;
    walked.low.splice(0, 2, Math.min(walked.low[0], x), Math.min(walked.low[1], y));
    walked.high.splice(0, 2, Math.max(walked.high[0], x), Math.max(walked.high[1], y));
  }
  return byRoom;
}

function isNear(walked: RoomMovement | undefined, stay: Stay, place: { x: number; y: number }): boolean {
  if (!walked) return false;
  const { low, high } = walked;
  const reach = STILL_SHARE * Math.hypot(high[0] - low[0], high[1] - low[1]);
  return Math.hypot(place.x - stay.x, place.y - stay.y) <= reach;
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
  const what = `Stood at one spot${where} for ${formatDuration(ms)}, with ${formatCount(inputs, "input")}`;
  return {
    type: "stuck-point",
    sentiment: "negative",
    confidence: growingConfidence(ms, STILL_MS, 0.5, 0.9),
    tag: formatTag("stuck-point", room),
    title: what,
    evidence: `${what} (threshold ${formatDuration(STILL_MS)} within ${STILL_SHARE * 100} % of the room, ${STILL_INPUTS} inputs): ${formatEventIds(events, [from, to])}`,
    at: from,
  };
}
