/** Waits for the system clock and for signals. */

/** The longest timer that Node supports, ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after `ms`; rejects with the reason of the signal if it is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  for (let remaining = ms; remaining > 0; remaining -= MAX_TIMER_MS) {
    await wait(Math.min(remaining, MAX_TIMER_MS), signal);
  }
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Resolves after the handlers of signals that have arrived, which run in the next turn of the event loop. */
export async function handlePendingSignals(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
