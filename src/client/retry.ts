/** When a request is sent again: 429 after exactly the time told, faults of the way with a jittered backoff. */
import { ApiError } from "../contract/errors.ts";

/** Time and chance, given by the caller so that tests can fix them. */
export interface Waiting {
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
const LONGEST_LIMIT_WAIT = 30_000;
/** The wait where a 429 tells nothing usable, and after one that told 0, ms. */
const STANDARD_LIMIT_WAIT = 1000;
/** Faults of the way are tried again so often, first after this, ms. */
const FAULT_RETRIES = 3;
const FIRST_BACKOFF = 300;

const faults = new Set(["network", "timeout", "internal", "unavailable"]);

/** Runs `attempt` until it succeeds or its error is final. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  rules: RetryRules,
  waiting: Waiting,
  signal?: AbortSignal,
): Promise<T> {
  const patience = new Patience(rules, waiting);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const wait = error instanceof ApiError ? patience.waitFor(error) : null;
      if (wait === null) throw error;
      await waiting.sleep(wait, signal);
    }
  }
}

/** How long one call has waited, and what it may still wait. */
class Patience {
  readonly #rules: RetryRules;
  readonly #waiting: Waiting;
  #limitWaited = 0;
  #lastLimitWait: number | null = null;
  #faults = 0;

  constructor(rules: RetryRules, waiting: Waiting) {
    this.#rules = rules;
    this.#waiting = waiting;
  }

  /** The wait before the next attempt, ms; null where the error is final. */
  waitFor(error: ApiError): number | null {
    const wait = error.code === "rate_limited" ? this.#limitWait(error) : this.#backoff(error);
    if (wait !== null) this.#waiting.onWait(error.message, wait);
    return wait;
  }

  #limitWait(error: ApiError): number | null {
    const told = toldWait(error);
    const wait = this.#lastLimitWait === null ? told : Math.max(told, doubled(this.#lastLimitWait));
    this.#lastLimitWait = wait;
    this.#limitWaited += wait;
    return this.#limitWaited > this.#rules.maxWaitMs ? null : wait;
  }

  #backoff(error: ApiError): number | null {
    if (!this.#rules.repeatable || !faults.has(error.code) || this.#faults >= FAULT_RETRIES) return null;
    const wait = FIRST_BACKOFF * 2 ** this.#faults * (0.5 + this.#waiting.random());
    this.#faults += 1;
    return Math.round(wait);
  }
}

/** The wait of a further 429, ms: never 0, so that the budget ends whatever is told. */
function doubled(wait: number): number {
  return wait === 0 ? STANDARD_LIMIT_WAIT : Math.min(LONGEST_LIMIT_WAIT, wait * 2);
}

/** The wait a 429 tells, whole ms. */
function toldWait(error: ApiError): number {
  const told = error.extra.retryAfterMs;
  return typeof told === "number" && Number.isFinite(told) && told >= 0
    ? Math.ceil(told)
    : STANDARD_LIMIT_WAIT;
}
