/** Struggles: the stretches of play in a room with unsuccessful attempts. */

import { NO_ROOM } from "../../../shared/tags.ts";
import { type Attempt, SETTLE_MS } from "../attempts.ts";
import type { SessionEvent } from "../recorded-session.ts";
import type { RoomPlay, SessionPlay, Stretch } from "../session-play.ts";
import { msBetween } from "../visits.ts";
import { measureStretchMs } from "./room-times.ts";

/** The failures and resets of one stretch of play, up to its success. */
export interface Struggle {
  readonly stretch: Stretch;
  /** Unsuccessful attempts: those with a failure, and those that a reset ended after at least SETTLE_MS. */
  readonly attempts: number;
  readonly failures: readonly number[];
  readonly resets: readonly number[];
  /** Active time in the room. */
  readonly ms: number;
}

/** The stretch with the most unsuccessful attempts, the first one if tied. */
export function findStruggle(
  events: readonly SessionEvent[],
  play: SessionPlay,
  room: RoomPlay,
): Struggle | null {
  const unsuccessful = room.attempts.filter((attempt) => isUnsuccessful(events, attempt));
  let most: { stretch: Stretch; attempts: number } | null = null;
  let next = 0;
  for (const stretch of room.stretches) {
    const { from, success } = stretch;
    while ((unsuccessful[next]?.from ?? from) < from) next += 1;
    const first = next;
    while (unsuccessful[next] !== undefined && isWithin(stretch, unsuccessful[next]?.from ?? from)) next += 1;
    if (next - first > (most?.attempts ?? 0)) most = { stretch, attempts: next - first };
    if (success === null) break;
  }
  if (most === null) return null;
  const { stretch, attempts } = most;
  return {
    stretch,
    attempts,
    failures: room.failures.filter((at) => isWithin(stretch, at)),
    // The reset that starts the stretch ends the play before it.
    resets: room.resets.filter((at) => isWithin(stretch, at) && at > stretch.from),
    ms: room.name === NO_ROOM ? 0 : measureStretchMs(play, room, stretch),
  };
}

function isWithin({ from, success }: Stretch, at: number): boolean {
  return at >= from && at <= (success ?? at);
}

function isUnsuccessful(
  events: readonly SessionEvent[],
  { from, failure, success, reset }: Attempt,
): boolean {
  if (success !== null) return false;
  return failure !== null || (reset !== null && msBetween(events, from, reset) >= SETTLE_MS);
}
