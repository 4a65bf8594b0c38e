/** Counts the testers who reach each step of a funnel in order. */
import type { FunnelGroup, FunnelStep } from "../../contract/funnels.ts";
import { median } from "../../statistics/averages.ts";
import { wilsonInterval } from "../../statistics/intervals.ts";
import { type FunnelEvent, type FunnelStepSpec, reachesStep } from "./funnel-steps.ts";

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
