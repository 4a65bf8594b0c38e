/** A session's clock and its event log, with the heartbeats a game client sends by itself. */
import { EVENTS } from "../shared/event-names.ts";

/** One event as a telemetry body carries it. */
export interface DemoEvent {
  /** Unique within the session. */
  readonly id: string;
  readonly name: string;
  /** Unix ms in a body; ms since the session's start while it is recorded. */
  readonly timestamp: number;
  readonly data?: Record<string, unknown>;
}

/** What one sitting left behind. */
export interface Recording {
  /** In order; timestamps are ms since the session's start and strictly increase. */
  readonly events: readonly DemoEvent[];
  /** False when the client never said that the session was over. */
  readonly ended: boolean;
}

const HEARTBEAT_MS = 60_000;

export class Recorder {
  readonly events: DemoEvent[] = [];
  /** Where the player is now; every snapshot names it. */
  room = "";
  /** Whether time passes as active: false while idle or out of focus. */
  active = true;
  /** The game's own counters, part of every snapshot. */
  readonly counts: Record<string, number>;
  #clock = 0;
  #activeMs = 0;
  #nextHeartbeat = HEARTBEAT_MS;

  constructor(counts: Record<string, number>) {
    this.counts = counts;
  }

  /** Ms since the session's start. */
  get clock(): number {
    return this.#clock;
  }

  /** Adds an event now, at least one millisecond after the one before. */
  add(name: string, data: Record<string, unknown>): void {
    if (this.#clock <= (this.events.at(-1)?.timestamp ?? -1)) this.#tick(1);
    this.events.push({ id: String(this.events.length + 1), name, timestamp: this.#clock, data });
  }

  /** Adds one to a counter of the snapshot. */
  count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  /** Lets whole milliseconds pass, sending the heartbeats that fall due on the way. */
  advance(ms: number): void {
    const until = this.#clock + Math.round(ms);
    while (this.#nextHeartbeat <= until) {
      this.#tick(Math.max(0, this.#nextHeartbeat - this.#clock));
      this.#nextHeartbeat += HEARTBEAT_MS;
      this.add(EVENTS.heartbeat, this.#snapshot());
    }
    this.#tick(Math.max(0, until - this.#clock));
  }

  /** Closes the log with the last snapshot. */
  summarise(): void {
    this.add(EVENTS.summary, this.#snapshot());
  }

  #tick(ms: number): void {
    this.#clock += ms;
    if (this.active) this.#activeMs += ms;
  }

  #snapshot(): Record<string, unknown> {
    return {
      wallSec: Math.round(this.#clock / 1000),
      activeSec: Math.round(this.#activeMs / 1000),
      room: this.room,
      ...this.counts,
    };
  }
}
