/** Counts the testers who reach each step of a funnel in order. */
import { type FunnelGroup, type FunnelStep, MAX_FUNNEL_STEPS, ROOM_STEP } from "../../contract/funnels.ts";
import { splitSteps } from "../../shared/funnel-steps.ts";
import { median } from "../../statistics/averages.ts";
import { wilsonInterval } from "../../statistics/intervals.ts";
import { readRoom } from "../analysis/recorded-session.ts";
import { badRequest } from "../core/http-errors.ts";
import type { TelemetryEvent } from "../telemetry/event-names.ts";

/** When a tester reached each step, unix ms: as many times as steps were reached. */
export type StepTimes = number[];

/**
 * Continues the progress of a tester with the events of their next session, in the order of time. Each step needs an event
 * after the one of the step before; only an event that enters a room can reach a room step and the event step next to it.
 * Taking the first such event for every step reaches as many steps as any other choice.
 * `shift` corrects the clock of the device, ms.
 */
export function advance(
  reached: StepTimes,
  steps: readonly FunnelStepSpec[],
  events: readonly FunnelEvent[],
  shift: number,
): void {
  for (const event of events) {
    const step = steps[reached.length];
    if (step === undefined) return;
    if (!reachesStep(step, event)) continue;
    reached.push(event.timestamp + shift);
    const next = steps[reached.length];
    if (next !== undefined && next.kind !== step.kind && reachesStep(next, event))
      reached.push(event.timestamp + shift);
  }
}

/** The funnel of one group: the progress of each of its testers, who may have reached nothing. */
export function countFunnel(
  key: string | null,
  steps: readonly FunnelStepSpec[],
  progress: readonly StepTimes[],
): FunnelGroup {
  const reachedBy = (at: number) => progress.filter((reached) => reached.length > at).length;
  const first = reachedBy(0);
  return {
    key,
    testers: progress.length,
    steps: steps.map(({ text }, at): FunnelStep => {
      const testers = reachedBy(at);
      const previous = at === 0 ? progress.length : reachedBy(at - 1);
      return {
        step: text,
        testers,
        lost: at === 0 ? 0 : previous - testers,
        ofPrevious: previous === 0 ? null : testers / previous,
        ofPreviousInterval: wilsonInterval(testers, previous),
        ofFirst: first === 0 ? null : testers / first,
        ofFirstInterval: wilsonInterval(testers, first),
        medianSec: at === 0 ? null : medianSeconds(progress, at),
      };
    }),
  };
}

/** The median time from the previous step to a step over the testers who reached it; null without any. */
function medianSeconds(progress: readonly StepTimes[], at: number): number | null {
  const times = progress.flatMap((reached) => {
    const [before, then] = [reached[at - 1], reached[at]];
    return before === undefined || then === undefined ? [] : Math.max(0, then - before);
  });
  return times.length === 0 ? null : median(times) / 1000;
}

/** One step: an event with a name, or the event that enters a room. */
export interface FunnelStepSpec {
  /** The step as it was written, without escapes. */
  readonly text: string;
  readonly kind: "event" | "room";
  /** The name of the event or the room. */
  readonly name: string;
}

/** Throws `bad_request`. */
export function parseSteps(text: string): FunnelStepSpec[] {
  const parts = splitSteps(text);
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

export function reachesStep({ kind, name }: FunnelStepSpec, event: FunnelEvent): boolean {
  return (kind === "event" ? event.name : event.entered) === name;
}
