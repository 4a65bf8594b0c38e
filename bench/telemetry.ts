/** Telemetry for the benchmarks: the same on every run, with the proportions of a real session. */
import type { TelemetryEvent } from "../src/server/telemetry/event-names.ts";

export const GAME = "bench";
export const EVENTS_PER_BODY = 500;
/** Time between two events of a session. */
export const EVENT_INTERVAL_MS = 250;

/** 2026-01-01T00:00:00Z. */
const BEGIN = Date.UTC(2026, 0, 1);
const ROOMS = ["atrium", "cellar", "docks", "forge", "garden", "hall", "kiln", "library"];
const ACTIONS = ["door_opened", "item_taken", "enemy_hit", "menu_opened", "checkpoint"];

/** A body of `POST /api/telemetry`. */
export interface Body {
  readonly gameId: string;
  readonly clientSessionId: string;
  readonly deviceId: string;
  readonly source: string;
  readonly startedAt: number;
  readonly sessionMetadata: { readonly gameVersion: string; readonly platform: string };
  readonly events: TelemetryEvent[];
}

/** Creates a seeded generator of numbers in [0, 1): mulberry32, by Tommy Ettinger. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Creates the `part`-th body of a session. `positions` is the fraction of position events; the others are actions.
 */
export function createBody(session: string, part: number, positions = 0.8, events = EVENTS_PER_BODY): Body {
  const number = [...session].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7);
  const random = createRandom(number + part * 7919);
  const startedAt = BEGIN + (Math.abs(number) % 100_000) * 60_000;
  const first = part * events;
  return {
    gameId: GAME,
    clientSessionId: session,
    deviceId: `device-${session}`,
    source: "unity-telemetry",
    startedAt,
    sessionMetadata: { gameVersion: `1.${Math.abs(number) % 3}`, platform: "windows" },
    events: Array.from({ length: events }, (_, at) => createEvent(first + at, startedAt, random, positions)),
  };
}

function createEvent(
  number: number,
  startedAt: number,
  random: () => number,
  positions: number,
): TelemetryEvent {
  const id = `e${number}`;
  const timestamp = startedAt + number * EVENT_INTERVAL_MS;
  const room = ROOMS[Math.floor(number / 120) % ROOMS.length] ?? "";
  if (random() < positions) {
    const data = { x: round(random() * 64 - 32), y: round(random() * 36 - 18), room };
    return { id, name: "player_pos", timestamp, data };
  }
  const name = ACTIONS[Math.floor(random() * ACTIONS.length)] ?? "";
  return { id, name, timestamp, data: { room, value: Math.floor(random() * 100), ok: random() < 0.5 } };
}

const round = (value: number) => Math.round(value * 1000) / 1000;
