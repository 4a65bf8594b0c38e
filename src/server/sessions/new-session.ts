/** Builds the row of a new session without any events. */

import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { SessionSource } from "../../contract/sessions.ts";
import { MIN_TIME } from "../../contract/telemetry.ts";
import { DAY_MS } from "../../shared/time-units.ts";
import { emptyColumns } from "../db/rows.ts";
import type { GameRow, SessionRow } from "../db/schema.ts";
import { MAX_SESSION_MS } from "./durations.ts";

export type NewSessionRow = Omit<SessionRow, "item" | "search">;

interface NewSession {
  readonly id: string;
  readonly source: SessionSource;
  readonly status: SessionRow["status"];
  readonly title: string;
  /** Whether the title was sent, so that the analysis keeps it. */
  readonly hasSentTitle: boolean;
  readonly build: string;
  /** The session's metadata, including its build version and platform. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly environment: string | undefined;
  readonly testerHandle: string | undefined;
  readonly clock: ReturnType<typeof resolveClock>;
  /** When the analysis is due, unix ms; null for a session that waits for its transcript. */
  readonly analysisDue: number | null;
}

/** Builds the row of a session without a device or events. The session counts as its own tester. */
export function createSessionRow(game: GameRow, session: NewSession): NewSessionRow {
  return {
    ...emptyColumns("sessions"),
    game_id: game.id,
    id: session.id,
    account_id: game.account_id,
    environment: session.environment ?? DEFAULT_ENV,
    build: session.build,
    source: session.source,
    status: session.status,
    title: session.title,
    title_sent: Number(session.hasSentTitle),
    tester_handle: session.testerHandle ?? null,
    tester: session.id,
    metadata: JSON.stringify(session.metadata),
    analysis_due: session.analysisDue,
    ...session.clock,
    clock_jumps: 0,
    jump_ms: 0,
    wall_ms: 0,
    active_ms: 0,
    event_counts: "{}",
    experiment_tags: "{}",
    ended: 0,
    next_batch: 0,
    stored_events: 0,
    stored_bytes: 0,
    analysis_attempts: 0,
    analysis_runs: 0,
  };
}

/** How far ahead of the service's clock a client's clock may be, ms. A day covers a wrong time zone. */
const MAX_CLOCK_LEAD_MS = DAY_MS;

type SessionClock = Pick<SessionRow, "recorded_at" | "received_at" | "clock_shift" | "shift_sent">;
type CorrectedClock = Pick<SessionClock, "recorded_at" | "clock_shift" | "shift_sent">;

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

/** When a session started by the clock of its client, unix ms; null if it did not say. */
interface ClientStart {
  readonly startedAt: number | null;
  readonly firstEventAt?: number | null;
  /** What the client says is to be added to its times, ms. */
  readonly offsetMs?: number | null;
}

/** Resolves the times of a new session, all in unix ms. */
export function resolveClock(
  { startedAt, firstEventAt = null, offsetMs = null }: ClientStart,
  receivedAt: number,
): SessionClock {
  const received = { recorded_at: receivedAt, received_at: receivedAt, shift_sent: 0 };
  const usesFirstEvent =
    firstEventAt !== null && (startedAt === null || isUnitError(startedAt, firstEventAt));
  const start = usesFirstEvent ? firstEventAt : startedAt;
  const corrected = correctStart(start, offsetMs, receivedAt);
  if (corrected) return { ...received, ...corrected };
  if (start !== null && isWrongTime(start, receivedAt))
    return { ...received, clock_shift: receivedAt - start };
  // The events have right times, so a start before 2000 is in the wrong unit.
  const recorded_at = startedAt === null || startedAt < MIN_TIME ? receivedAt : startedAt;
  return { ...received, recorded_at, clock_shift: null };
}

/**
 * Corrects a start by the offset that a client sent. Null without one, or if the corrected time is wrong, so that the offset
 * is.
 */
function correctStart(
  start: number | null,
  offsetMs: number | null,
  receivedAt: number,
): CorrectedClock | null {
  if (start === null || offsetMs === null) return null;
  const clock_shift = Math.round(offsetMs);
  const recorded_at = start + clock_shift;
  return isWrongTime(recorded_at, receivedAt) ? null : { recorded_at, clock_shift, shift_sent: 1 };
}

/**
 * Corrects the times of a session by the offset that a client sent with a later request, unless they were corrected before.
 * `firstEventAt` is the time of its first event. Returns null if nothing changes.
 */
export function correctSession(
  { recorded_at, received_at, clock_shift }: Omit<SessionClock, "shift_sent">,
  firstEventAt: number | null,
  offsetMs: number | null,
): CorrectedClock | null {
  if (clock_shift !== null || received_at === null) return null;
  return correctStart(recorded_at === received_at ? firstEventAt : recorded_at, offsetMs, received_at);
}

/** Whether the service moved a session to its time of receipt, because the start by the client's clock was impossible. */
export const isMovedToReceipt = ({
  clock_shift,
  shift_sent,
}: Pick<SessionClock, "clock_shift" | "shift_sent">): boolean => clock_shift !== null && shift_sent === 0;

/**
 * Returns the clock shift of a session after its first events, which arrived at `now`. They only change the shift if the
 * session was created without events, and with no start time or one before 2000. Its recordedAt is then the time of
 * receipt, with or without a shift.
 */
export function shiftAfterFirstEvents(
  { recorded_at, received_at, clock_shift }: Omit<SessionClock, "shift_sent">,
  firstEventAt: number,
  now: number,
): number | null {
  const hasUnitError = clock_shift !== null && isUnitError(recorded_at - clock_shift, firstEventAt);
  if ((clock_shift !== null && !hasUnitError) || recorded_at !== received_at) return clock_shift;
  return isWrongTime(firstEventAt, now) ? recorded_at - firstEventAt : null;
}
