/** When a request is sent again: 429 after exactly the time told, faults of the way with a jittered backoff. */
import { backoffPolicy, type RetryPolicy, retry } from "../shared/retry.ts";
import { ClientError } from "./errors.ts";

/** Time and chance, given by the caller so that tests can fix them. */
export interface ClientRetryHooks {
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
  /** Told before each wait, for people. */
  onWait(reason: string, ms: number): void;
}

export interface RetryRules {
  /** How long all waits for 429 may take together, ms. */
  readonly maxWaitMs: number;
  /** Whether sending the request twice is harmless. */
  readonly repeatable: boolean;
}

/** Each further 429 doubles the wait, up to this, ms. */
const MAX_RATE_LIMIT_WAIT_MS = 30_000;
/** The wait where a 429 tells nothing usable, and after one that told 0, ms. */
const DEFAULT_RATE_LIMIT_WAIT_MS = 1000;
/** Faults of the way are tried again so often, first after this, ms. */
const MAX_FAULT_RETRIES = 3;
const FIRST_BACKOFF_MS = 300;

const transientCodes = new Set(["network", "timeout", "internal", "unavailable"]);

/** Runs `attempt` until it succeeds or its error is final. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  rules: RetryRules,
  waiting: ClientRetryHooks,
  signal?: AbortSignal,
): Promise<T> {
  return await retry(attempt, new ClientRetryPolicy(rules, waiting), {
    signal,
    sleep: (ms, stop) => waiting.sleep(ms, stop),
    onWait: (error, ms) => waiting.onWait((error as ClientError).message, ms),
  });
}

/** The policy of one call: what it has waited for the rate limit, and how many faults it has met. */
class ClientRetryPolicy implements RetryPolicy {
  readonly #rules: RetryRules;
  readonly #faultPolicy: RetryPolicy;
  #limitWaited = 0;
  #lastLimitWait: number | null = null;
  #faults = 0;

  constructor(rules: RetryRules, waiting: ClientRetryHooks) {
    this.#rules = rules;
    this.#faultPolicy = backoffPolicy({
      maxAttempts: MAX_FAULT_RETRIES + 1,
      firstMs: FIRST_BACKOFF_MS,
      isTransient: (error) =>
        rules.repeatable && error instanceof ClientError && transientCodes.has(error.code),
      jitter: (ms) => Math.round(ms * (0.5 + waiting.random())),
    });
  }

  waitAfter(error: unknown): number | null {
    if (!(error instanceof ClientError)) return null;
    if (error.code === "rate_limited") return this.#limitWait(error);
    this.#faults += 1;
    return this.#faultPolicy.waitAfter(error, this.#faults);
  }

  #limitWait(error: ClientError): number | null {
    const told = readRetryAfter(error);
    const wait = this.#lastLimitWait === null ? told : Math.max(told, doubleWait(this.#lastLimitWait));
    this.#lastLimitWait = wait;
    this.#limitWaited += wait;
    return this.#limitWaited > this.#rules.maxWaitMs ? null : wait;
  }
}

/** The wait of a further 429, ms: never 0, so that the budget ends whatever is told. */
function doubleWait(wait: number): number {
  return wait === 0 ? DEFAULT_RATE_LIMIT_WAIT_MS : Math.min(MAX_RATE_LIMIT_WAIT_MS, wait * 2);
}

/** The wait a 429 tells, whole ms. */
function readRetryAfter(error: ClientError): number {
  const told = error.extra.retryAfterMs;
  return typeof told === "number" && Number.isFinite(told) && told >= 0
    ? Math.ceil(told)
    : DEFAULT_RATE_LIMIT_WAIT_MS;
}
