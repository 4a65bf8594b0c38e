/**
 * Sessions of devices with a wrong clock: such a session is shifted as a whole to the time of its receipt. Its events keep
 * the times they were sent with, for their order and their distances are right; `clock_shift` is what to add to them.
 */
import { MIN_TIME } from "../../contract/telemetry.ts";
import type { SessionRow } from "../db/schema.ts";

/** How far ahead of the service a client's clock may be, ms: a day covers a wrong time zone. */
export const MAX_CLOCK_LEAD_MS = 24 * 60 * 60 * 1000;

export type SessionClock = Pick<SessionRow, "recorded_at" | "received_at" | "clock_shift">;

/** Whether a time that a client sent shows that its clock is wrong. Play of long ago may be sent today. */
function isWrongTime(time: number, receivedAt: number): boolean {
  return time < MIN_TIME || time > receivedAt + MAX_CLOCK_LEAD_MS;
}

/** The times of a session that is new. `startedAt` is what the client says, null where it says nothing. All in unix ms. */
export function resolveClock(
  startedAt: number | null,
  receivedAt: number,
  firstEventAt: number | null = null,
): SessionClock {
  const received = { recorded_at: receivedAt, received_at: receivedAt };
  const start = startedAt === null || startedAt < MIN_TIME ? (firstEventAt ?? startedAt) : startedAt;
  if (start !== null && isWrongTime(start, receivedAt))
    return { ...received, clock_shift: receivedAt - start };
  // A start before 2000 beside events of a right clock is a mistake of units, not a wrong clock.
  const recorded_at = startedAt === null || startedAt < MIN_TIME ? receivedAt : startedAt;
  return { ...received, recorded_at, clock_shift: null };
}

/**
 * The shift of a session after its first events, which came at `now`. They decide for a session that was created without
 * events, and either without a start or with one before 2000: its recordedAt is its receipt either way.
 */
export function shiftAfterFirstEvents(
  { recorded_at, received_at, clock_shift }: SessionClock,
  firstEventAt: number,
  now: number,
): number | null {
  const startedEarly = clock_shift !== null && recorded_at - clock_shift < MIN_TIME;
  if ((clock_shift !== null && !startedEarly) || recorded_at !== received_at) return clock_shift;
  return isWrongTime(firstEventAt, now) ? recorded_at - firstEventAt : null;
}
