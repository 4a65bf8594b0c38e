/** `trace_chunk` events: several positions of a player in one room, sampled at a fixed rate. */
import { EVENTS } from "./event-names.ts";
import { DAY_MS } from "./time-units.ts";

/** A `t0` longer before its event is no time by the same clock, ms. */
const MAX_TRACE_MS = DAY_MS;

interface TraceEvent {
  readonly name: string;
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A position of a trace. */
export interface TracePoint {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
}

/** The positions of a trace; null if the event is none. A point that is not two or three finite numbers makes it none. */
export function readTrace({ name, data }: TraceEvent): readonly TracePoint[] | null {
  if (name !== EVENTS.trace || typeof data?.room !== "string" || data.room === "") return null;
  const { points } = data;
  if (!Array.isArray(points) || points.length === 0) return null;
  const found: TracePoint[] = [];
  for (const point of points) {
    if (!Array.isArray(point) || point.length < 2 || point.length > 3 || !point.every(Number.isFinite))
      return null;
    const [x, y, z] = point as [number, number, number | undefined];
    found.push(z === undefined ? { x, y } : { x, y, z });
  }
  return found;
}

/**
 * When each of the points of a trace was sampled, in ms from the time of its event. The first point is at `t0`, unix ms by the
 * clock of the event; otherwise, the last one is at the time of the event. The others follow by the rate, or with `t0` alone evenly.
 */
export function measurePointTimes(
  { data, timestamp }: TraceEvent & { readonly timestamp: number },
  count: number,
): number[] {
  const { rate, t0 } = data ?? {};
  const isTimed = typeof t0 === "number" && t0 <= timestamp && t0 >= timestamp - MAX_TRACE_MS;
  const hasRate = typeof rate === "number" && Number.isFinite(rate) && rate > 0;
  const span = isTimed ? timestamp - t0 : 0;
  const step = hasRate ? 1000 / rate : span / Math.max(1, count - 1);
  const first = isTimed ? -span : -(count - 1) * step;
  return Array.from({ length: count }, (_, at) => first + at * step);
}

/** The area of a room in the axes of its picture. */
export interface TraceBounds {
  readonly xMin: number;
  readonly xMax: number;
  readonly yMin: number;
  readonly yMax: number;
}

/** The `bounds` of the room of a trace; null if it has none. They do not change its points, which are in world units. */
export function readTraceBounds({ name, data }: TraceEvent): TraceBounds | null {
  if (name !== EVENTS.trace || typeof data?.bounds !== "object" || data.bounds === null) return null;
  const { xMin, xMax, yMin, yMax } = data.bounds as Readonly<Record<string, unknown>>;
  const isRange = (min: unknown, max: unknown) =>
    Number.isFinite(min) && Number.isFinite(max) && (min as number) < (max as number);
  if (!isRange(xMin, xMax) || !isRange(yMin, yMax)) return null;
  return { xMin, xMax, yMin, yMax } as TraceBounds;
}
