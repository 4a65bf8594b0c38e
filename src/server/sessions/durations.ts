/** Durations: how long a session ran, and how much of that somebody played. */

import { EVENTS } from "../../shared/event-names.ts";
import { DAY_MS } from "../../shared/time-units.ts";

/** What of an event decides durations. */
interface TimedEvent {
  readonly name: string;
  /** Unix ms. */
  readonly timestamp: number;
}

/**
 * The longest session that is believed, ms: 30 days. A client with a wrong clock, or a wrong mind, would otherwise
 * outweigh everybody's play, and sums of its sessions would leave the integers that JSON and databases hold.
 */
export const LONGEST_SESSION_MS = 30 * DAY_MS;

export interface PlayDurations {
  /** From start to end, in ms; at most LONGEST_SESSION_MS. */
  readonly wallMs: number;
  /** Without the time unfocused or idle, in ms; never above wallMs. */
  readonly activeMs: number;
}

/** The events between which nobody plays. */
const starts = new Map<string, string>([
  [EVENTS.focusLost, "focus"],
  [EVENTS.idleStart, "idle"],
]);
const ends = new Map<string, string>([
  [EVENTS.focusGained, "focus"],
  [EVENTS.idleEnd, "idle"],
]);

/**
 * The durations of a session, in ms. The client's state snapshot is believed where it holds seconds of at least 0
 * whose ms are a safe integer: the database and the API hold no other. Otherwise the events tell, in whatever
 * order they come. Without events and snapshot both are 0. Whatever the source, neither is above LONGEST_SESSION_MS.
 */
export function playDurations(
  events: readonly TimedEvent[],
  snapshot: Readonly<Record<string, unknown>> | null,
): PlayDurations {
  const span = spanOf(events);
  const played = secondsIn(snapshot, "playTimeSec");
  const told = secondsIn(snapshot, "wallSec") ?? played ?? span.last - span.first;
  const active = secondsIn(snapshot, "activeSec") ?? played ?? told - inactiveMs(events, span.last);
  const wallMs = Math.min(told, LONGEST_SESSION_MS);
  return { wallMs, activeMs: Math.min(wallMs, Math.max(0, active)) };
}

/** Seconds of the snapshot as ms, or null when it holds no usable number of that name. */
function secondsIn(snapshot: Readonly<Record<string, unknown>> | null, name: string): number | null {
  const seconds = snapshot !== null && Object.hasOwn(snapshot, name) ? snapshot[name] : null;
  if (typeof seconds !== "number" || seconds < 0) return null;
  const ms = Math.round(seconds * 1000);
  return Number.isSafeInteger(ms) ? ms : null;
}

function spanOf(events: readonly TimedEvent[]): { first: number; last: number } {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { timestamp } of events) {
    if (timestamp < first) first = timestamp;
    if (timestamp > last) last = timestamp;
  }
  return first <= last ? { first, last } : { first: 0, last: 0 };
}

/** The ms covered by unfocused or idle intervals, each moment once; an open interval runs to `last`. */
function inactiveMs(events: readonly TimedEvent[], last: number): number {
  const marks = events
    .filter(({ name }) => starts.has(name) || ends.has(name))
    .sort((a, b) => a.timestamp - b.timestamp);
  const open = new Set<string>();
  let since = 0;
  let total = 0;
  for (const { name, timestamp } of marks) {
    const started = starts.get(name);
    if (started !== undefined) {
      if (open.size === 0) since = timestamp;
      open.add(started);
    } else if (open.delete(ends.get(name) ?? "") && open.size === 0) {
      total += timestamp - since;
    }
  }
  return open.size === 0 ? total : total + last - since;
}
