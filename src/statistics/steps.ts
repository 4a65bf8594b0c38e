/** Long computations that are divided into short steps, so that a service can answer requests between them. */

/** A computation that yields after each step, of a few milliseconds at most, and returns its result. */
export type Steps<T> = Generator<void, T, void>;

/** How long steps run before anything else gets its turn, in milliseconds. */
const TURN_MS = 10;

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs the steps in turns of some milliseconds each. `nextTurn` waits until everything else had its turn. */
export async function runStepsInTurns<T>(steps: Steps<T>, nextTurn: () => Promise<unknown>): Promise<T> {
  let start = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - start < TURN_MS) continue;
    await nextTurn();
    start = performance.now();
  }
}
