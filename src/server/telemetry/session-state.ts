/** Updates a session after a batch: counts, times, the state snapshot, its end, and when its analysis is due. */

import type { TelemetryEnvelope } from "../../contract/telemetry.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { addToEventCounters } from "../db/counters.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import { hasFailedPermanently, type QueuedState, queueNewData } from "../sessions/analysis-queue.ts";
import { recordSessionChange, startsInterval } from "../sessions/change-queries.ts";
import { computeDurations, SESSION_IDLE_TIMEOUT_MS } from "../sessions/durations.ts";
import { correctSession, shiftAfterFirstEvents } from "../sessions/new-session.ts";
import { updateSession } from "../sessions/session-queries.ts";
import { findFirstTime, type TelemetryEvent } from "./event-names.ts";
import { addExposures } from "./exposure-queries.ts";
import type { OpenSession } from "./find-session.ts";

/** The events whose data is the state of the client. */
export const SNAPSHOT_EVENTS: ReadonlySet<string> = new Set([EVENTS.heartbeat, EVENTS.summary]);

/** Newly stored events, with their counts by name, and what they count toward the size of the session. */
export interface NewEvents {
  readonly fresh: readonly TelemetryEvent[];
  readonly counts: ReadonlyMap<string, number>;
  readonly bytes: number;
}

/** Updates a session for newly stored events. Returns whether its analysis is due now. */
export async function updateSessionState(
  db: Db,
  session: OpenSession,
  envelope: TelemetryEnvelope,
  { fresh, counts, bytes }: NewEvents,
  now: number,
): Promise<boolean> {
  const ends = envelope.sessionEnded === true || fresh.some((event) => event.name === EVENTS.summary);
  const ended = session.ended === 1 || ends;
  const endsNow = ended && session.ended === 0;
  const tags = mergeTags(session.experiment_tags, envelope.experimentTags);
  const clock = correctClock(session, envelope, fresh);
  if (fresh.length === 0 && !endsNow && tags === session.experiment_tags && clock === null) return false;
  const active = fresh.length > 0 || endsNow || clock !== null;
  const queued = ended ? queueNewData(session, now, endsNow) : queueAfterIdling(session, now);
  const changed = {
    // Without new events, keep the durations that the analysis computed.
    ...(active ? { ...updateTimes(session, fresh), ...queued } : {}),
    event_counts: mergeCounts(session.event_counts, counts),
    experiment_tags: tags,
    ended: ended ? 1 : 0,
    next_batch: session.next_batch + (fresh.length > 0 ? 1 : 0),
    stored_events: session.stored_events + fresh.length,
    stored_bytes: session.stored_bytes + bytes,
    clock_shift: resolveClockShift(session, fresh, now),
    ...clock,
  };
  await updateSession(db, session, changed, isFirstChange(session, now) ? now : null);
  if (clock) await moveCounts(db, session, { ...clock, event_counts: changed.event_counts }, now);
  if (tags !== session.experiment_tags) await addExposures(db, session, envelope.experimentTags ?? {});
  return active && queued.analysis_due === now;
}

/** Whether no batch of the session arrived in this interval before. The time of the last one follows from the queue. */
function isFirstChange({ analysis_due, ended }: OpenSession, now: number): boolean {
  const previous = analysis_due === null || ended === 1 ? null : analysis_due - SESSION_IDLE_TIMEOUT_MS;
  return startsInterval(previous, now);
}

/** The times of a session after the offset that its client sent, or null if they do not change. */
function correctClock(
  session: OpenSession,
  { clockOffsetMs, deviceId }: TelemetryEnvelope,
  fresh: readonly TelemetryEvent[],
) {
  // Only the device that played knows its clock.
  if (clockOffsetMs === undefined || (deviceId ?? null) !== session.device_id) return null;
  return correctSession(session, session.first_at ?? findFirstTime(fresh), clockOffsetMs);
}

/** Moves the counts of a session, with its new events, to the day on which it started by its corrected clock. */
async function moveCounts(
  db: Db,
  session: OpenSession,
  { recorded_at, event_counts }: Pick<SessionRow, "recorded_at" | "event_counts">,
  now: number,
): Promise<void> {
  await recordSessionChange(db, session.game_id, session.recorded_at, now);
  await recordSessionChange(db, session.game_id, recorded_at, now);
  const counts = Object.entries(JSON.parse(event_counts) as Record<string, number>);
  await addToEventCounters(db, session, new Map(counts.map(([name, count]) => [name, -count])));
  await addToEventCounters(db, { ...session, recorded_at }, new Map(counts));
}

function resolveClockShift(
  session: OpenSession,
  fresh: readonly TelemetryEvent[],
  now: number,
): number | null {
  const first = session.next_batch === 0 ? findFirstTime(fresh) : null;
  return first === null ? session.clock_shift : shiftAfterFirstEvents(session, first, now);
}

/** Queues a session that is still played, unless its analysis failed permanently. */
const queueAfterIdling = (session: OpenSession, now: number): QueuedState =>
  hasFailedPermanently(session) ? {} : { status: "pending", analysis_due: now + SESSION_IDLE_TIMEOUT_MS };

function updateTimes(session: OpenSession, fresh: readonly TelemetryEvent[]) {
  let { snapshot, snapshot_at } = session;
  let newest: TelemetryEvent | null = null;
  for (const event of fresh) {
    if (!SNAPSHOT_EVENTS.has(event.name) || !event.data) continue;
    if (snapshot_at === null || event.timestamp >= snapshot_at) {
      snapshot_at = event.timestamp;
      newest = event;
    }
  }
  if (newest) snapshot = JSON.stringify(newest.data);
  const span = extendSpan(session, fresh);
  const { first_at, last_at, jump_ms } = span;
  // The analysis finds out when the clock jumped. Until then, the jumps count as the time before the end, or before the state.
  const end = last_at === null ? null : Math.max(first_at ?? last_at, last_at - jump_ms);
  const edges = [first_at, end].flatMap((timestamp) => (timestamp === null ? [] : [{ name: "", timestamp }]));
  const jumpMs = end !== null && snapshot_at !== null && snapshot_at > end ? jump_ms : 0;
  const state =
    snapshot === null || snapshot_at === null
      ? null
      : { state: JSON.parse(snapshot) as Record<string, unknown>, at: snapshot_at - jumpMs, jumpMs };
  const { wallMs: wall_ms, activeMs: active_ms } = computeDurations(edges, state);
  return { ...span, snapshot, snapshot_at, wall_ms, active_ms };
}

type SessionSpan = Pick<SessionRow, "first_at" | "last_at" | "clock_jumps" | "jump_ms">;

/**
 * Extends the time span of a session by new events, and counts the jumps of its clock at both ends. Events that arrive late may
 * fill such a gap: the analysis, which reads all events, counts again.
 */
function extendSpan(session: SessionSpan, fresh: readonly TelemetryEvent[]): SessionSpan {
  const times = sortTimes(fresh);
  let { first_at, last_at } = session;
  let [clock_jumps, jump_ms] = [Number(session.clock_jumps), Number(session.jump_ms)];
  const addStep = (ms: number) => {
    if (ms <= SESSION_IDLE_TIMEOUT_MS) return;
    clock_jumps += 1;
    jump_ms += ms;
  };
  for (const time of times) {
    if (last_at !== null && time <= last_at) continue;
    addStep(last_at === null ? 0 : time - last_at);
    first_at ??= time;
    last_at = time;
  }
  for (let at = times.findLastIndex((time) => time < (first_at ?? 0)); at >= 0; at -= 1) {
    const time = times[at];
    if (time === undefined || first_at === null) continue;
    addStep(first_at - time);
    first_at = time;
  }
  return { first_at, last_at, clock_jumps, jump_ms };
}

function sortTimes(events: readonly TelemetryEvent[]): readonly number[] {
  const times = events.map(({ timestamp }) => timestamp);
  return times.some((time, at) => time < (times[at - 1] ?? 0)) ? times.sort((a, b) => a - b) : times;
}

/** Adds counts to a JSON object of counts. The JSON is built by hand, because a name such as `__proto__` breaks an object. */
function mergeCounts(json: string, added: ReadonlyMap<string, number>): string {
  if (added.size === 0) return json;
  const counts = new Map(Object.entries(JSON.parse(json) as Record<string, number>));
  for (const [name, count] of added) counts.set(name, (counts.get(name) ?? 0) + count);
  const pairs = [...counts].map(([name, count]) => `${JSON.stringify(name)}:${count}`);
  return `{${pairs.join(",")}}`;
}

/** Maximum number of experiments of a session. Further ones are ignored, so that a session cannot grow without end. */
const MAX_TAGS = 50;

function mergeTags(json: string, tags: TelemetryEnvelope["experimentTags"]): string {
  if (!tags) return json;
  const merged = new Map(Object.entries(JSON.parse(json) as Record<string, string>));
  for (const [id, variant] of Object.entries(tags))
    if (merged.has(id) || merged.size < MAX_TAGS) merged.set(id, variant);
  return JSON.stringify(Object.fromEntries(merged));
}
