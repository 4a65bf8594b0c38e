/** Retries of requests: after the `retryAfterMs` of a 429, and with a jittered backoff for transient faults. */
import { backoffPolicy, type RetryPolicy, retry } from "../shared/retry.ts";
import { ClientError } from "./errors.ts";

/** The clock and randomness of retries. Tests replace them. */
export interface ClientRetryHooks {
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1, like Math.random. */
  random(): number;
  /** Called before each wait. `reason` is text for people. */
  onWait(reason: string, ms: number): void;
}

interface RetryRules {
  /** The maximum total wait for 429 responses, ms. */
  readonly maxWaitMs: number;
  /** Whether the request is safe to send twice. */
  readonly repeatable: boolean;
}

/** Each further 429 doubles the wait, up to this many ms. */
const MAX_RATE_LIMIT_WAIT_MS = 30_000;
/** The wait if a 429 has no valid `retryAfterMs`, and for the second 429 after a wait of 0, ms. */
const DEFAULT_RATE_LIMIT_WAIT_MS = 1000;
/** The number of retries after transient faults, and the wait before the first one, ms. */
const MAX_FAULT_RETRIES = 3;
const FIRST_BACKOFF_MS = 300;

const transientCodes = new Set(["network", "timeout", "internal", "unavailable"]);

/** Runs `attempt` until it succeeds or its error is final. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  rules: RetryRules,
  hooks: ClientRetryHooks,
  signal?: AbortSignal,
): Promise<T> {
  return await retry(attempt, new ClientRetryPolicy(rules, hooks), {
    signal,
    sleep: (ms, stop) => hooks.sleep(ms, stop),
    onWait: (error, ms) => hooks.onWait((error as ClientError).message, ms),
  });
}

/** The policy of one call. It counts the waits for the rate limit and the transient faults. */
class ClientRetryPolicy implements RetryPolicy {
  readonly #rules: RetryRules;
  readonly #faultPolicy: RetryPolicy;
  #limitWaited = 0;
  #lastLimitWait: number | null = null;
  #faults = 0;

  constructor(rules: RetryRules, hooks: ClientRetryHooks) {
    this.#rules = rules;
    this.#faultPolicy = backoffPolicy({
      maxAttempts: MAX_FAULT_RETRIES + 1,
      firstMs: FIRST_BACKOFF_MS,
      isTransient: (error) =>
        rules.repeatable && error instanceof ClientError && error.retryable && transientCodes.has(error.code),
      jitter: (ms) => Math.round(ms * (0.5 + hooks.random())),
    });
  }

  waitAfter(error: unknown): number | null {
    if (!(error instanceof ClientError)) return null;
    if (error.code === "rate_limited") return this.#limitWait(error);
    this.#faults += 1;
    return this.#faultPolicy.waitAfter(error, this.#faults);
  }

  #limitWait(error: ClientError): number | null {
    const retryAfter = readRetryAfter(error);
    const wait =
      this.#lastLimitWait === null ? retryAfter : Math.max(retryAfter, doubleWait(this.#lastLimitWait));
    this.#lastLimitWait = wait;
    this.#limitWaited += wait;
    return this.#limitWaited > this.#rules.maxWaitMs ? null : wait;
  }
}

/** The minimum wait after a further 429, ms. It is never 0, so that the retries always end. */
function doubleWait(wait: number): number {
  return wait === 0 ? DEFAULT_RATE_LIMIT_WAIT_MS : Math.min(MAX_RATE_LIMIT_WAIT_MS, wait * 2);
}

/** The `retryAfterMs` of a 429, rounded up to whole ms. */
function readRetryAfter(error: ClientError): number {
  const { retryAfterMs } = error.extra;
  return typeof retryAfterMs === "number" && Number.isFinite(retryAfterMs) && retryAfterMs >= 0
    ? Math.ceil(retryAfterMs)
    : DEFAULT_RATE_LIMIT_WAIT_MS;
}
