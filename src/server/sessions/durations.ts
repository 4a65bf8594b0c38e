/** Durations of sessions: wall time, and the active time within it. */

import { EVENTS } from "../../shared/event-names.ts";
import { DAY_MS } from "../../shared/time-units.ts";

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

/** The events that start and end inactivity, with its kind. */
const inactivityStarts = new Map<string, string>([
  [EVENTS.focusLost, "focus"],
  [EVENTS.idleStart, "idle"],
]);
const inactivityEnds = new Map<string, string>([
  [EVENTS.focusGained, "focus"],
  [EVENTS.idleEnd, "idle"],
]);

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
  const active = readSecondsAsMs(snapshot, "activeSec") ?? played ?? wall - sumInactiveMs(events, span.last);
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

/** The ms in the union of unfocused and idle intervals. An interval without an end runs until `last`. */
function sumInactiveMs(events: readonly TimedEvent[], last: number): number {
  const marks = events
    .filter(({ name }) => inactivityStarts.has(name) || inactivityEnds.has(name))
    .sort((a, b) => a.timestamp - b.timestamp);
  const open = new Set<string>();
  let openSince = 0;
  let total = 0;
  for (const { name, timestamp } of marks) {
    const started = inactivityStarts.get(name);
    if (started !== undefined) {
      if (open.size === 0) openSince = timestamp;
      open.add(started);
    } else if (open.delete(inactivityEnds.get(name) ?? "") && open.size === 0) {
      total += timestamp - openSince;
    }
  }
  return open.size === 0 ? total : total + last - openSince;
}
