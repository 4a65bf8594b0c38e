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
export const MAX_SESSION_MS = 30 * DAY_MS;

export interface SessionDurations {
  /** From start to end, in ms; at most MAX_SESSION_MS. */
  readonly wallMs: number;
  /** Without the time unfocused or idle, in ms; never above wallMs. */
  readonly activeMs: number;
}

/** The events between which nobody plays. */
const inactivityStarts = new Map<string, string>([
  [EVENTS.focusLost, "focus"],
  [EVENTS.idleStart, "idle"],
]);
const inactivityEnds = new Map<string, string>([
  [EVENTS.focusGained, "focus"],
  [EVENTS.idleEnd, "idle"],
]);

/**
 * The durations of a session, in ms. The client's state snapshot is believed where it holds seconds of at least 0
 * whose ms are a safe integer: the database and the API hold no other. Otherwise the events tell, in whatever
 * order they come. Without events and snapshot both are 0. Whatever the source, neither is above MAX_SESSION_MS.
 */
export function computeDurations(
  events: readonly TimedEvent[],
  snapshot: Readonly<Record<string, unknown>> | null,
): SessionDurations {
  const span = findTimeSpan(events);
  const played = readSecondsAsMs(snapshot, "playTimeSec");
  const told = readSecondsAsMs(snapshot, "wallSec") ?? played ?? span.last - span.first;
  const active = readSecondsAsMs(snapshot, "activeSec") ?? played ?? told - sumInactiveMs(events, span.last);
  const wallMs = Math.min(told, MAX_SESSION_MS);
  return { wallMs, activeMs: Math.min(wallMs, Math.max(0, active)) };
}

/** Seconds of the snapshot as ms, or null when it holds no usable number of that name. */
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

/** The ms covered by unfocused or idle intervals, each moment once; an open interval runs to `last`. */
function sumInactiveMs(events: readonly TimedEvent[], last: number): number {
  const marks = events
    .filter(({ name }) => inactivityStarts.has(name) || inactivityEnds.has(name))
    .sort((a, b) => a.timestamp - b.timestamp);
  const open = new Set<string>();
  let since = 0;
  let total = 0;
  for (const { name, timestamp } of marks) {
    const started = inactivityStarts.get(name);
    if (started !== undefined) {
      if (open.size === 0) since = timestamp;
      open.add(started);
    } else if (open.delete(inactivityEnds.get(name) ?? "") && open.size === 0) {
      total += timestamp - since;
    }
  }
  return open.size === 0 ? total : total + last - since;
}
