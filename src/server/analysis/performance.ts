/** The performance of the game in a session: frame times, memory and load times by room, from its `performance` events. */
import type * as z from "zod";
import type { RoomPerformance, sessionPerformance } from "../../contract/build-facts.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { addFrames, FRAME_BUCKETS } from "../../shared/frame-times.ts";
import { mean } from "../../statistics/averages.ts";
import { isStorableText, parseStoredJson } from "../core/stored-data.ts";
import type { SessionRow } from "../db/schema.ts";
import { readNamedRoom, type SessionEvent } from "./recorded-session.ts";

/** Rooms whose performance is stored, the first ones, so that a row is bounded. */
const MAX_ROOMS = 50;

/** The maximum length of the name of a room. What longer ones measured has no room. */
const MAX_ROOM_LENGTH = 64;

/** Larger values are no measurements: 10 million frames, MB, or ms. */
const MAX_VALUE = 1e7;

interface Measured {
  readonly frames: number[];
  readonly loadsMs: number[];
  memoryMb: number | null;
}

export type SessionPerformance = z.output<typeof sessionPerformance>;

/** The performance in each room, in the order in which the game sent the rooms; null if it sent none. */
export function measurePerformance(
  { metadata }: Pick<SessionRow, "metadata">,
  events: readonly SessionEvent[],
): SessionPerformance | null {
  const byRoom = new Map<string | null, Measured>();
  for (const event of events) if (event.name === EVENTS.performance) addEvent(byRoom, event);
  if (byRoom.size === 0) return null;
  const rooms = [...byRoom].map(
    ([room, { frames, memoryMb, loadsMs }]): RoomPerformance => ({
      ...{ room, frames, memoryMb },
      loadMs: loadsMs.length === 0 ? null : Math.round(mean(loadsMs)),
    }),
  );
  return { platform: readPlatform(metadata), rooms };
}

function readPlatform(metadata: string): string {
  const { platform } = parseStoredJson(metadata, "The metadata") as { platform?: unknown };
  return typeof platform === "string" ? platform : "unknown";
}

function addEvent(byRoom: Map<string | null, Measured>, event: SessionEvent): void {
  const frames = readFrames(event.data?.frames);
  const memoryMb = readNumber(event.data?.memoryMb);
  const loadMs = readNumber(event.data?.loadMs);
  if (frames === null && memoryMb === null && loadMs === null) return;
  const named = readNamedRoom(event);
  const room = named !== null && named.length <= MAX_ROOM_LENGTH && isStorableText(named) ? named : null;
  const known = byRoom.get(room);
  if (known === undefined && byRoom.size >= MAX_ROOMS) return;
  const measured = known ?? { frames: [], loadsMs: [], memoryMb: null };
  byRoom.set(room, measured);
  addFrames(measured.frames, frames ?? []);
  if (memoryMb !== null) measured.memoryMb = Math.max(measured.memoryMb ?? 0, memoryMb);
  if (loadMs !== null) measured.loadsMs.push(loadMs);
}

/** A histogram; null if it is not one. */
function readFrames(value: unknown): number[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > FRAME_BUCKETS) return null;
  return value.every((count) => Number.isInteger(count) && readNumber(count) !== null) ? value : null;
}

const readNumber = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && value <= MAX_VALUE ? value : null;
