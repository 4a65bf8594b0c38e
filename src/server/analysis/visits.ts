/** The visits to the rooms of a session and the active time in them. docs/rules.md explains the definitions. */

import { findInactivity, isPlayerActivity } from "../sessions/durations.ts";
import { readRoom, type SessionEvent } from "./recorded-session.ts";

/** Maximum time that a gap between two events counts for, in ms. Longer gaps do not count as play. */
const MAX_GAP_MS = 60_000;

/** A stay in one room. All numbers are indexes into the session's events. */
export interface Visit {
  readonly room: string;
  /** The event that entered the room. */
  readonly entered: number;
  /** The last event of the visit that names the room. */
  readonly last: number;
  /** The event that ended the visit by naming another room, or the last event of the session. */
  readonly end: number;
  /** Active time in the earlier visits to the room, in ms. */
  readonly activeBeforeMs: number;
}

/** Where the player was during a session, and for how long. */
export interface Timeline {
  readonly visits: readonly Visit[];
  /** For each event, the visit in progress when it occurred; null before the first visit. */
  readonly visitAt: readonly (Visit | null)[];
  /** For each event, the active time since the start of the session, in ms. */
  readonly activeMsAt: readonly number[];
  /** Index of the last event that shows player activity; -1 if there is none. */
  readonly lastActivity: number;
}

export function readTimeline(events: readonly SessionEvent[]): Timeline {
  const visits: { -readonly [K in keyof Visit]: Visit[K] }[] = [];
  const visitAt: (Visit | null)[] = [];
  const activeMsAt = sumActiveMs(events);
  const activeByRoom = new Map<string, number>();
  for (const [at, event] of events.entries()) {
    const room = readRoom(event);
    const current = visits.at(-1);
    if (current) current.end = at;
    if (room !== null && room === current?.room) current.last = at;
    else if (room !== null) {
      if (current) {
        const ms = (activeMsAt[at] ?? 0) - (activeMsAt[current.entered] ?? 0);
        activeByRoom.set(current.room, current.activeBeforeMs + ms);
      }
      const activeBeforeMs = activeByRoom.get(room) ?? 0;
      visits.push({ room, entered: at, last: at, end: at, activeBeforeMs });
    }
    visitAt.push(visits.at(-1) ?? null);
  }
  return {
    visits,
    visitAt,
    activeMsAt,
    lastActivity: events.findLastIndex(isPlayerActivity),
  };
}

/** The active time between two events in ms. Both are indexes. */
export function activeMsBetween({ activeMsAt }: Timeline, from: number, to: number): number {
  return (activeMsAt[to] ?? 0) - (activeMsAt[from] ?? 0);
}

/**
 * The active time from the last event that shows player activity to the last event of the session, in ms. What the player
 * did in it is unknown.
 */
export function measureSilenceMs(timeline: Timeline): number {
  return activeMsBetween(timeline, timeline.lastActivity, timeline.activeMsAt.length - 1);
}

/** The time from one event to a later one in ms, at least 0. Both are indexes. */
export function msBetween(events: readonly SessionEvent[], from: number, to: number): number {
  return Math.max(0, (events[to]?.timestamp ?? 0) - (events[from]?.timestamp ?? 0));
}

function sumActiveMs(events: readonly SessionEvent[]): number[] {
  const inactive = findInactivity(events);
  let total = 0;
  return events.map((_, at) => {
    if (at > 0 && !inactive[at - 1]) total += Math.min(MAX_GAP_MS, msBetween(events, at - 1, at));
    return total;
  });
}
