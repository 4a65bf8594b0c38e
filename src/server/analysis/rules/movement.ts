/** Movement in rooms: the spots in which a player stayed, and the inputs in them. */

import { EVENTS } from "../../../shared/event-names.ts";
import { isPlayerActivity } from "../../sessions/durations.ts";
import { findMeaning } from "../meanings.ts";
import { type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";
import { readEventPlayer } from "../session-players.ts";
import { msBetween } from "../visits.ts";

/** The radius of a spot, as a share of the diagonal of the area that the session visited in the room. */
export const STILL_SHARE = 0.05;
/** Maximum time between two positions of a stay, in ms. After longer gaps, the player may have been elsewhere. */
export const MAX_POSITION_GAP_MS = 10_000;

/** A period in which the player stayed in one spot of a room. */
export interface Stay {
  readonly x: number;
  readonly y: number;
  readonly from: number;
  to: number;
  inputs: number;
}

/** The stays in a room, the number of positions, and the corners of the area that contains them. */
interface RoomMovement {
  readonly stays: Stay[];
  positions: number;
  readonly low: [x: number, y: number];
  readonly high: [x: number, y: number];
}

/**
 * The stays in each room with positions. Takes two passes, because the radius of a spot depends on the extent of the
 * room.
 */
export function trackMovement(session: RecordedSession): ReadonlyMap<string, RoomMovement> {
  const { events } = session;
  const byRoom = measureExtents(session);
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

/**
 * Whether an event other than a position shows an action of the player, rather than a fault of the game. Of several players, an
 * event that names none may be the action of another one.
 */
function isInput(event: SessionEvent, { meanings, others }: RecordedSession): boolean {
  if (others !== undefined && readEventPlayer(event) === null) return false;
  const meaning = findMeaning(event.name, meanings);
  return (
    isPlayerActivity(event) && event.name !== EVENTS.fpsDrop && meaning !== "crash" && meaning !== "error"
  );
}

function measureExtents({ events, others = [] }: RecordedSession): Map<string, RoomMovement> {
  const byRoom = new Map<string, RoomMovement>();
  for (const event of [...events, ...others]) {
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
