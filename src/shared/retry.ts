/** Repeats a failed attempt as often, and after as long, as a policy says. */

/** Decides what follows a failed attempt. A policy that counts serves one call of `retry`. */
export interface RetryPolicy {
  /** Milliseconds to wait before the next attempt; null if the failure is final. `attempt` counts from 1. */
  waitAfter(failure: unknown, attempt: number): number | null;
}

/** How the wait passes, given by the caller so that tests can fix it. */
export interface RetryHooks {
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  readonly signal?: AbortSignal | undefined;
  /** Called before each wait. */
  onWait?(failure: unknown, ms: number): void;
}

/** Runs `attempt` until it succeeds. Throws its error once the policy calls it final, or the signal's reason. */
export async function retry<T>(
  attempt: (nth: number) => Promise<T>,
  policy: RetryPolicy,
  waiting: RetryHooks,
): Promise<T> {
  for (let nth = 1; ; nth += 1) {
    try {
      return await attempt(nth);
    } catch (failure) {
      const wait = policy.waitAfter(failure, nth);
      if (wait === null) throw failure;
      waiting.onWait?.(failure, wait);
      await waiting.sleep(wait, waiting.signal);
    }
  }
}

export interface Backoff {
  /** The wait after the first failure, ms. Each further one doubles it. */
  readonly firstMs: number;
  /** The longest wait, ms (default: unlimited). */
  readonly maxMs?: number;
}

/** The wait after the nth failure, ms. */
export function backoffMs(nth: number, { firstMs, maxMs = Number.POSITIVE_INFINITY }: Backoff): number {
  return Math.min(maxMs, firstMs * 2 ** (nth - 1));
}

export interface BackoffOptions extends Backoff {
  /** Attempts in all, the first one included. */
  readonly maxAttempts: number;
  /** Whether a later attempt may succeed. */
  isTransient(failure: unknown): boolean;
  /** Changes a wait by chance, so that clients that failed together do not return together (default: no change). */
  jitter?(ms: number): number;
}

/** A policy of a fixed number of attempts with waits that double. */
export function backoffPolicy(options: BackoffOptions): RetryPolicy {
  return {
    waitAfter(failure, attempt) {
      if (attempt >= options.maxAttempts || !options.isTransient(failure)) return null;
      const wait = backoffMs(attempt, options);
      return options.jitter?.(wait) ?? wait;
    },
  };
}
