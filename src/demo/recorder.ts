/** The clock and event log of a session, with the automatic heartbeats of a game client. */
import { EVENTS } from "../shared/event-names.ts";

/** One event in the format of a telemetry body. */
export interface DemoEvent {
  /** Unique within the session. */
  readonly id: string;
  readonly name: string;
  /** Unix ms in a body; ms since the start of the session in a recording. */
  readonly timestamp: number;
  readonly data?: Record<string, unknown>;
}

export interface Recording {
  /** Timestamps are ms since the start of the session and strictly increasing. */
  readonly events: readonly DemoEvent[];
  /** False if the client never sent the end of the session. */
  readonly ended: boolean;
}

const HEARTBEAT_MS = 60_000;

export class Recorder {
  readonly events: DemoEvent[] = [];
  /** The current room of the player, which is part of every snapshot. */
  room = "";
  /** Whether elapsed time counts as active: false while idle or out of focus. */
  active = true;
  /** Counters of the game, which are part of every snapshot. */
  readonly counts: Record<string, number>;
  #clock = 0;
  #activeMs = 0;
  #nextHeartbeat = HEARTBEAT_MS;

  constructor(counts: Record<string, number>) {
    this.counts = counts;
  }

  /** Ms since the start of the session. */
  get clock(): number {
    return this.#clock;
  }

  /** Adds an event at the current time, at least 1 ms after the previous one. */
  add(name: string, data: Record<string, unknown>): void {
    if (this.#clock <= (this.events.at(-1)?.timestamp ?? -1)) this.#tick(1);
    this.events.push({ id: String(this.events.length + 1), name, timestamp: this.#clock, data });
  }

  /** Increments a counter of the snapshot. */
  count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  /** Advances the clock by whole milliseconds and adds the heartbeats that are due. */
  advance(ms: number): void {
    const until = this.#clock + Math.round(ms);
    while (this.#nextHeartbeat <= until) {
      this.#tick(Math.max(0, this.#nextHeartbeat - this.#clock));
      this.#nextHeartbeat += HEARTBEAT_MS;
      this.add(EVENTS.heartbeat, this.#snapshot());
    }
    this.#tick(Math.max(0, until - this.#clock));
  }

  /** Adds the session summary with the last snapshot. */
  addSummary(): void {
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
