/** Repeats failed attempts according to a policy. */

/** Decides whether and when to retry. A policy with counters may be used for only one call of `retry`. */
export interface RetryPolicy {
  /** Milliseconds to wait before the next attempt; null if the failure is final. `attempt` counts from 1. */
  waitAfter(failure: unknown, attempt: number): number | null;
}

/** How to wait. Tests replace it. */
export interface RetryHooks {
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  readonly signal?: AbortSignal | undefined;
  /** Called before each wait. */
  onWait?(failure: unknown, ms: number): void;
}

/** Runs `attempt` until it succeeds. Throws its error if the policy does not retry, or the reason of the signal. */
export async function retry<T>(
  attempt: (number: number) => Promise<T>,
  policy: RetryPolicy,
  hooks: RetryHooks,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (failure) {
      const wait = policy.waitAfter(failure, number);
      if (wait === null) throw failure;
      hooks.onWait?.(failure, wait);
      await hooks.sleep(wait, hooks.signal);
    }
  }
}

export interface Backoff {
  /** The wait after the first failure, ms. Each further one doubles it. */
  readonly firstMs: number;
  /** The longest wait, ms (default: unlimited). */
  readonly maxMs?: number;
}

/** The wait after a failed attempt, ms. `attempt` counts from 1. */
export function backoffMs(attempt: number, { firstMs, maxMs = Number.POSITIVE_INFINITY }: Backoff): number {
  return Math.min(maxMs, firstMs * 2 ** (attempt - 1));
}

export interface BackoffOptions extends Backoff {
  /** The maximum number of attempts, including the first one. */
  readonly maxAttempts: number;
  /** Whether a later attempt may succeed. */
  isTransient(failure: unknown): boolean;
  /** Randomizes a wait, so that clients do not retry at the same time (default: no change). */
  jitter?(ms: number): number;
}

/** A policy with exponential backoff and a maximum number of attempts. */
export function backoffPolicy(options: BackoffOptions): RetryPolicy {
  return {
    waitAfter(failure, attempt) {
      if (attempt >= options.maxAttempts || !options.isTransient(failure)) return null;
      const wait = backoffMs(attempt, options);
      return options.jitter?.(wait) ?? wait;
    },
  };
}
