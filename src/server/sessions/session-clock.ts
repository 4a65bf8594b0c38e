/**
 * Corrects sessions of devices with a wrong clock: the whole session is shifted to the time when it was received. Events
 * keep the times of the client, because their order and distances are right. `clock_shift` is to be added to them.
 */
import { MIN_TIME } from "../../contract/telemetry.ts";
import { DAY_MS } from "../../shared/time-units.ts";
import type { SessionRow } from "../db/schema.ts";
import { MAX_SESSION_MS } from "./durations.ts";

/** How far ahead of the service's clock a client's clock may be, ms. A day covers a wrong time zone. */
const MAX_CLOCK_LEAD_MS = DAY_MS;

type SessionClock = Pick<SessionRow, "recorded_at" | "received_at" | "clock_shift">;

/** Whether a time from a client proves that its clock is wrong. Old times are allowed: sessions may be sent much later. */
function isWrongTime(time: number, receivedAt: number): boolean {
  return time < MIN_TIME || time > receivedAt + MAX_CLOCK_LEAD_MS;
}

/**
 * Whether a start before 2000 is in the wrong unit, rather than from a wrong clock: the first event is far from it. A
 * device that starts in 1999 without a battery reaches 2000 within a session.
 */
function isUnitError(startedAt: number, firstEventAt: number): boolean {
  return startedAt < MIN_TIME && firstEventAt - startedAt > MAX_SESSION_MS;
}

/** Resolves the times of a new session, all in unix ms. `startedAt` is the time that the client sent, or null. */
export function resolveClock(
  startedAt: number | null,
  receivedAt: number,
  firstEventAt: number | null = null,
): SessionClock {
  const received = { recorded_at: receivedAt, received_at: receivedAt };
  const usesFirstEvent =
    firstEventAt !== null && (startedAt === null || isUnitError(startedAt, firstEventAt));
  const start = usesFirstEvent ? firstEventAt : startedAt;
  if (start !== null && isWrongTime(start, receivedAt))
    return { ...received, clock_shift: receivedAt - start };
  // The events have right times, so a start before 2000 is in the wrong unit.
  const recorded_at = startedAt === null || startedAt < MIN_TIME ? receivedAt : startedAt;
  return { ...received, recorded_at, clock_shift: null };
}

/**
 * Returns the clock shift of a session after its first events, which arrived at `now`. They only change the shift if the
 * session was created without events, and with no start time or one before 2000. Its recordedAt is then the time of
 * receipt, with or without a shift.
 */
export function shiftAfterFirstEvents(
  { recorded_at, received_at, clock_shift }: SessionClock,
  firstEventAt: number,
  now: number,
): number | null {
  const hasUnitError = clock_shift !== null && isUnitError(recorded_at - clock_shift, firstEventAt);
  if ((clock_shift !== null && !hasUnitError) || recorded_at !== received_at) return clock_shift;
  return isWrongTime(firstEventAt, now) ? recorded_at - firstEventAt : null;
}
