/** Durations of sessions: wall time, and the active time within it. */

import { EVENTS } from "../../shared/event-names.ts";
import { DAY_MS, MINUTE_MS } from "../../shared/time-units.ts";

interface TimedEvent {
  readonly name: string;
  /** Unix ms. */
  readonly timestamp: number;
}

/**
 * The maximum duration of a session, ms: 30 days. Otherwise a client with a wrong clock or bad intent could distort all
 * totals, and sums could exceed the integers that JSON and databases represent exactly.
 */
export const MAX_SESSION_MS = 30 * DAY_MS;

/**
 * A session without new events counts as ended after this time, ms. A longer step between two of its events is a jump: the
 * clock of the device was set, or the device slept. It counts as idle time.
 */
export const SESSION_IDLE_TIMEOUT_MS = 30 * MINUTE_MS;

interface SessionDurations {
  /** From start to end, in ms; at most MAX_SESSION_MS. */
  readonly wallMs: number;
  /** Without the time unfocused or idle, in ms; never above wallMs. */
  readonly activeMs: number;
}

/** The client's state as of a heartbeat or a session summary. */
interface StateSnapshot {
  readonly state: Readonly<Record<string, unknown>>;
  /** The time of that event, unix ms. */
  readonly at: number;
  /** The time that jumps of the clock before it added, ms, which the client may have counted. */
  readonly jumpMs?: number;
}

/**
 * Computes the durations of a session, in ms. The times of the client's state snapshot take precedence for the play up to
 * it if they are at least 0 and safe integers in ms, because the database and the API represent no others. The events after
 * it add to them. Without such times, all durations are computed from the events, which may be in any order, and whose times
 * have no jumps. The wall time is at least the time from the first to the last event. Neither duration exceeds MAX_SESSION_MS.
 */
export function computeDurations(
  events: readonly TimedEvent[],
  snapshot: StateSnapshot | null,
): SessionDurations {
  const { first, last } = findTimeSpan(events);
  const state = snapshot?.state ?? null;
  const from = Math.min(last, snapshot?.at ?? last);
  const readTime = (name: string) => subtractJumps(readSecondsAsMs(state, name), snapshot?.jumpMs ?? 0);
  const played = readTime("playTimeSec");
  const reportedWall = readTime("wallSec") ?? played ?? 0;
  const reportedActive = readTime("activeSec") ?? played;
  const wall = Math.max(last - first, reportedWall + (last - from));
  const active =
    reportedActive === null
      ? wall - sumInactiveMs(events, first)
      : reportedActive + (last - from) - sumInactiveMs(events, from);
  const wallMs = Math.min(wall, MAX_SESSION_MS);
  return { wallMs, activeMs: Math.min(wallMs, Math.max(0, active)) };
}

/** Reads seconds from the snapshot as ms; null if the field is missing or unusable. */
function readSecondsAsMs(snapshot: Readonly<Record<string, unknown>> | null, name: string): number | null {
  const seconds = snapshot !== null && Object.hasOwn(snapshot, name) ? snapshot[name] : null;
  if (typeof seconds !== "number" || seconds < 0) return null;
  const ms = Math.round(seconds * 1000);
  return Number.isSafeInteger(ms) ? ms : null;
}

/** A reported time without the jumps that it may include: the client may have measured it with the same clock. */
function subtractJumps(reported: number | null, jumpMs: number): number | null {
  return reported === null || reported < jumpMs ? reported : reported - jumpMs;
}

function findTimeSpan(events: readonly TimedEvent[]): { first: number; last: number } {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { timestamp } of events) {
    if (timestamp < first) first = timestamp;
    if (timestamp > last) last = timestamp;
  }
  return first <= last ? { first, last } : { first: 0, last: 0 };
}

/** The ms after `from` in which the session was out of focus or idle. */
function sumInactiveMs(events: readonly TimedEvent[], from: number): number {
  const sorted = events.toSorted((a, b) => a.timestamp - b.timestamp);
  const inactive = findInactivity(sorted);
  return sorted.reduce((total, { timestamp }, at) => {
    const next = sorted[at + 1];
    return next && inactive[at] ? total + Math.max(0, next.timestamp - Math.max(timestamp, from)) : total;
  }, 0);
}

/** Events that clients send automatically, without player activity. */
const clientStateEvents = new Set<string>([
  EVENTS.heartbeat,
  EVENTS.summary,
  EVENTS.performance,
  EVENTS.focusLost,
  EVENTS.focusGained,
  EVENTS.idleStart,
  EVENTS.idleEnd,
]);

/** Whether an event shows player activity, rather than the client reporting its state. */
export function isPlayerActivity({ name }: { readonly name: string }): boolean {
  return !clientStateEvents.has(name);
}

/** The events that start and end each kind of inactivity. A game can be idle and out of focus at the same time. */
const kinds = [
  [EVENTS.focusLost, EVENTS.focusGained],
  [EVENTS.idleStart, EVENTS.idleEnd],
] as const;

/**
 * For each event, whether the session is inactive from it to the next one. The events are in the order of their times. A
 * period without its end event ends with the first player activity: the client did not report that the player returned.
 */
export function findInactivity(events: ReadonlyArray<{ readonly name: string }>): readonly boolean[] {
  const inactive = events.map(() => false);
  for (const [start, end] of kinds) {
    let from: number | null = null;
    let played: number | null = null;
    const close = (to: number) => {
      if (from !== null) inactive.fill(true, from, to);
      from = null;
      played = null;
    };
    for (const [at, event] of events.entries()) {
      if (event.name === end) close(at);
      else if (event.name === start) {
        close(played ?? at);
        from = at;
      } else if (from !== null && isPlayerActivity(event)) played ??= at;
    }
    close(played ?? events.length);
  }
  return inactive;
}
