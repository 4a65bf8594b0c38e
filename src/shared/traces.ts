/** `trace_chunk` events: several positions of a player in one room, sampled at a fixed rate. */
import { EVENTS } from "./event-names.ts";

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

/** How long after the first point of a trace each point was sampled, ms; 0 for all without a rate. */
export function measureStepMs(data: TraceEvent["data"]): number {
  const rate = data?.rate;
  return typeof rate === "number" && Number.isFinite(rate) && rate > 0 ? 1000 / rate : 0;
}
