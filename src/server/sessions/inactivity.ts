/** When a session was inactive: out of focus or idle, as its client reports. */

import { EVENTS } from "../../shared/event-names.ts";

/** Events that clients send automatically, without player activity. */
const clientStateEvents = new Set<string>([
  EVENTS.heartbeat,
  EVENTS.summary,
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
