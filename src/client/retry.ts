/** Retries of requests: after the time that a 429 or 503 names, and with a jittered backoff for other transient faults. */
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
  /** The maximum total wait for responses that name a time, ms. */
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

/** The policy of one call. It counts the waits that the service asked for and the transient faults. */
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
    const retryAfter = readRetryAfter(error);
    if (error.code === "rate_limited") return this.#limitWait(retryAfter ?? DEFAULT_RATE_LIMIT_WAIT_MS);
    if (error.status === 503 && retryAfter !== null && this.#rules.repeatable)
      return this.#limitWait(retryAfter);
    this.#faults += 1;
    return this.#faultPolicy.waitAfter(error, this.#faults);
  }

  #limitWait(retryAfter: number): number | null {
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

/**
 * The time after which a response asks to try again, in whole ms: `retryAfterMs` of its body, or else its Retry-After header, in
 * seconds or as a date, which its own Date header is subtracted from. Null if it names none.
 */
function readRetryAfter({ extra: { retryAfterMs }, headers }: ClientError): number | null {
  if (typeof retryAfterMs === "number" && Number.isFinite(retryAfterMs) && retryAfterMs >= 0)
    return Math.ceil(retryAfterMs);
  const header = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const ms = Date.parse(header) - Date.parse(headers.date ?? "");
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
