/**
 * Repairs the times of a session whose clock jumped while it was played, so that all rules see the play as it happened: in its
 * order, and without the time that a jump added. docs/rules.md explains what counts as a jump.
 */
import { SESSION_IDLE_TIMEOUT_MS } from "../sessions/durations.ts";
import { SNAPSHOT_EVENTS } from "../telemetry/session-state.ts";
import type { SessionEvent } from "./recorded-session.ts";

/** A batch of a session, in the order of its arrival. */
interface ArrivedEvents {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly events: readonly SessionEvent[];
}

/** The last state of the client, after a repair. */
interface RepairedSnapshot {
  readonly state: Readonly<Record<string, unknown>>;
  /** The repaired time of its event, unix ms. */
  readonly at: number;
  /** The time that jumps before it added, ms. */
  readonly jumpMs: number;
}

interface RepairedEvents {
  /** With repaired times, sorted by them, then by arrival. */
  readonly events: readonly SessionEvent[];
  /** The same events in the same order, as they were sent. */
  readonly sent: readonly SessionEvent[];
  readonly jumps: number;
  /** How much longer the sent times last than the repaired ones, ms, at least 0. */
  readonly jumpMs: number;
  /** Null without a jump, when the stored one is right, or without a state. */
  readonly snapshot: RepairedSnapshot | null;
}

/** A sent event with its time on the clock with which the session began. */
interface TimedEvent {
  readonly sent: SessionEvent;
  readonly time: number;
}

export function repairClock(batches: readonly ArrivedEvents[]): RepairedEvents {
  const { timed, setBacks } = undoSetBacks(batches);
  timed.sort((a, b) => a.time - b.time);
  const events: SessionEvent[] = [];
  let [jumps, jumpMs] = [setBacks, 0];
  let snapshot: RepairedSnapshot | null = null;
  for (const [at, { sent, time }] of timed.entries()) {
    const step = time - (timed[at - 1]?.time ?? time);
    if (step > SESSION_IDLE_TIMEOUT_MS) {
      jumps += 1;
      jumpMs += step;
    }
    const timestamp = time - jumpMs;
    events.push(timestamp === sent.timestamp ? sent : { ...sent, timestamp });
    if (SNAPSHOT_EVENTS.has(sent.name) && sent.data) snapshot = { state: sent.data, at: timestamp, jumpMs };
  }
  const sent = timed.map((event) => event.sent);
  return {
    events,
    sent,
    jumps,
    // Absurd times may add up to more than the database stores.
    jumpMs: Math.min(Math.max(0, measureSpan(sent) - measureSpan(events)), Number.MAX_SAFE_INTEGER),
    snapshot: jumps > 0 ? snapshot : null,
  };
}

/** The time between the first and the last of some events, ms. */
function measureSpan(events: readonly SessionEvent[]): number {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { timestamp } of events) {
    first = Math.min(first, timestamp);
    last = Math.max(last, timestamp);
  }
  return events.length === 0 ? 0 : last - first;
}

/** Moves the events after a clock that was set back, so that they follow those before. */
function undoSetBacks(batches: readonly ArrivedEvents[]): { timed: TimedEvent[]; setBacks: number } {
  const timed: TimedEvent[] = [];
  let [shift, setBacks] = [0, 0];
  let startLead: number | null = null;
  /** The time of the last event; null if the next one may be earlier although no clock was set back. */
  let previous: number | null = null;
  for (const { events, receivedAt } of batches) {
    const isReversed = isInReverse(events);
    // Events of a request may be grouped by their kind, so only those before all of it were recorded by another clock.
    const earliest = (events[0]?.timestamp ?? 0) - SESSION_IDLE_TIMEOUT_MS;
    for (const [at, sent] of events.entries()) {
      const isBefore = previous !== null && previous - sent.timestamp > SESSION_IDLE_TIMEOUT_MS;
      if (previous !== null && isBefore && (at === 0 || sent.timestamp < earliest)) {
        shift += previous - sent.timestamp;
        setBacks += 1;
      }
      timed.push({ sent, time: sent.timestamp + shift });
      previous = isReversed ? null : sent.timestamp;
    }
    startLead ??= (events[0]?.timestamp ?? receivedAt) - receivedAt;
    // A batch with earlier times may just be late, unless the clock of the one before was ahead.
    const isAhead =
      previous !== null && previous - receivedAt - Math.max(0, startLead) > SESSION_IDLE_TIMEOUT_MS;
    if (!isAhead) previous = null;
  }
  return { timed, setBacks };
}

/** Whether the times of events mostly fall, as in a file that begins with the last event. */
function isInReverse(events: readonly SessionEvent[]): boolean {
  let balance = 0;
  for (const [at, { timestamp }] of events.entries())
    balance += Math.sign(timestamp - (events[at - 1]?.timestamp ?? timestamp));
  return balance < 0;
}
