/** Durations of sessions: wall time, and the active time within it. */

import { DAY_MS } from "../../shared/time-units.ts";
import { findInactivity } from "./inactivity.ts";

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

export interface SessionDurations {
  /** From start to end, in ms; at most MAX_SESSION_MS. */
  readonly wallMs: number;
  /** Without the time unfocused or idle, in ms; never above wallMs. */
  readonly activeMs: number;
}

/**
 * Computes the durations of a session, in ms. Values of the client's state snapshot take precedence if they are at least
 * 0 and safe integers in ms, because the database and the API represent no others. Otherwise they are computed from the
 * events, which may be in any order. Without events and a snapshot both are 0. Neither exceeds MAX_SESSION_MS.
 */
export function computeDurations(
  events: readonly TimedEvent[],
  snapshot: Readonly<Record<string, unknown>> | null,
): SessionDurations {
  const span = findTimeSpan(events);
  const played = readSecondsAsMs(snapshot, "playTimeSec");
  const wall = readSecondsAsMs(snapshot, "wallSec") ?? played ?? span.last - span.first;
  const active = readSecondsAsMs(snapshot, "activeSec") ?? played ?? wall - sumInactiveMs(events);
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

function findTimeSpan(events: readonly TimedEvent[]): { first: number; last: number } {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { timestamp } of events) {
    if (timestamp < first) first = timestamp;
    if (timestamp > last) last = timestamp;
  }
  return first <= last ? { first, last } : { first: 0, last: 0 };
}

/** The ms in which the session was out of focus or idle. */
function sumInactiveMs(events: readonly TimedEvent[]): number {
  const sorted = events.toSorted((a, b) => a.timestamp - b.timestamp);
  const inactive = findInactivity(sorted);
  return sorted.reduce((total, { timestamp }, at) => {
    const next = sorted[at + 1];
    return next && inactive[at] ? total + next.timestamp - timestamp : total;
  }, 0);
}
