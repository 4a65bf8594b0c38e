/** Builds the row of a new session without any events. */
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { SessionSource } from "../../contract/sessions.ts";
import { MIN_TIME } from "../../contract/telemetry.ts";
import { DAY_MS } from "../../shared/time-units.ts";
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
    device_id: null,
    client_session_id: null,
    creation_hash: null,
    address_hash: null,
    quarantine_id: null,
    quarantined_at: null,
    country: null,
    region: null,
    city: null,
    first_at: null,
    last_at: null,
    clock_jumps: 0,
    jump_ms: 0,
    wall_ms: 0,
    active_ms: 0,
    transcript: null,
    event_counts: "{}",
    snapshot: null,
    snapshot_at: null,
    experiment_tags: "{}",
    ended: 0,
    next_batch: 0,
    stored_events: 0,
    stored_bytes: 0,
    analysis_lease: null,
    analysis_attempts: 0,
    analysis_runs: 0,
    analysis_error: null,
    analysis_version: null,
    crashed: null,
    last_room: null,
    reanalysis_due: null,
    enrichment_due: null,
    enriched_version: null,
    events_pruned_at: null,
  };
}

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
