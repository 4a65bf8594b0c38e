/** Parses the steps of a funnel, and finds the events that reach them. */
import { MAX_FUNNEL_STEPS, ROOM_STEP } from "../../contract/funnels.ts";
import { readRoom } from "../analysis/recorded-session.ts";
import { badRequest } from "../core/bad-request.ts";
import type { TelemetryEvent } from "../telemetry/events.ts";

/** One step: an event with a name, or the event that enters a room. */
export interface FunnelStepSpec {
  /** The step as it was written, without escapes. */
  readonly text: string;
  readonly kind: "event" | "room";
  /** The name of the event or the room. */
  readonly name: string;
}

/** Splits the steps at their commas, except those after a backslash. Throws `bad_request`. */
export function parseSteps(text: string): FunnelStepSpec[] {
  const parts = splitAtCommas(text);
  if (parts.some((part) => part === "" || part === ROOM_STEP))
    throw invalidSteps("must not have an empty step");
  if (parts.length > MAX_FUNNEL_STEPS) throw invalidSteps(`must have at most ${MAX_FUNNEL_STEPS} steps`);
  return parts.map((part) =>
    part.startsWith(ROOM_STEP)
      ? { text: part, kind: "room", name: part.slice(ROOM_STEP.length) }
      : { text: part, kind: "event", name: part },
  );
}

const invalidSteps = (message: string) => badRequest([{ path: ["steps"], code: "invalid_value", message }]);

function splitAtCommas(text: string): string[] {
  const parts: string[] = [""];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === ",") parts.push("");
    else {
      const isEscaped = character === "\\" && (text[at + 1] === "," || text[at + 1] === "\\");
      if (isEscaped) at += 1;
      parts[parts.length - 1] += isEscaped ? (text[at] ?? "") : character;
    }
  }
  return parts.map((part) => part.trim());
}

/** An event, and the room that the player entered with it. */
export interface FunnelEvent extends Pick<TelemetryEvent, "name" | "timestamp"> {
  /** Null if the player already was in the room, or if the event names none. */
  readonly entered: string | null;
}

/** Finds which events of a session, in the order of their times, enter a room: those that name another one than before. */
export function readFunnelEvents(events: readonly TelemetryEvent[]): FunnelEvent[] {
  let current: string | null = null;
  return events.map((event) => {
    const { name, timestamp } = event;
    const room = readRoom({ ...event, data: event.data ?? null });
    if (room === null || room === current) return { name, timestamp, entered: null };
    current = room;
    return { name, timestamp, entered: room };
  });
}

/** Whether an event reaches a step. */
export function reachesStep({ kind, name }: FunnelStepSpec, event: FunnelEvent): boolean {
  return (kind === "event" ? event.name : event.entered) === name;
}
