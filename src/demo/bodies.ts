/** From a recorded session to the telemetry bodies a game client would send of it. */
import { TELEMETRY_LIMITS, type TelemetryEnvelope } from "../contract/telemetry.ts";
import { EVENTS } from "../shared/event-names.ts";
import type { DemoEvent, Recording } from "./recorder.ts";

/** The body of one `POST /api/telemetry`. */
export interface DemoBody extends Omit<TelemetryEnvelope, "events"> {
  /** The game's slug. */
  gameId: string;
  /** Ties the bodies of one session together. */
  clientSessionId: string;
  /** Unix ms. */
  startedAt: number;
  events: DemoEvent[];
}

/** A session that is planned, not yet played. */
export interface DemoSession {
  /** What every body of the session says of it. */
  readonly about: Omit<DemoBody, "events" | "startedAt" | "sessionEnded">;
  /** How long before `now` the session starts, in ms. */
  readonly startsAgo: number;
  play(): Recording;
}

/** A client sends what it holds at the first heartbeat after this many events. */
const BATCH_EVENTS = 800;

/** The bodies of one session that starts at `startedAt` (unix ms), in order. */
export function* sessionBodies(session: DemoSession, startedAt: number): Generator<DemoBody> {
  const { events, ended } = session.play();
  let batch: DemoEvent[] = [];
  for (const event of events) {
    batch.push({ ...event, timestamp: startedAt + event.timestamp });
    const last = event === events.at(-1);
    if (!last && !isFull(batch, event)) continue;
    yield { ...session.about, startedAt, ...(last && ended ? { sessionEnded: true } : {}), events: batch };
    batch = [];
  }
}

function isFull(batch: readonly DemoEvent[], event: DemoEvent): boolean {
  const due = batch.length >= BATCH_EVENTS && event.name === EVENTS.heartbeat;
  return due || batch.length >= TELEMETRY_LIMITS.events;
}
