/** Waits on the clock of the machine. */

/** The longest timer that Node can set, ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after `ms`; rejects with the signal's reason once it is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= MAX_TIMER_MS) await wait(Math.min(left, MAX_TIMER_MS), signal);
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
