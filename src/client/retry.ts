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
  /** How long all waits for 429 may take together, ms; Infinity without bound. */
  readonly maxWaitMs: number;
  /** Whether sending the request twice is harmless. */
  readonly repeatable: boolean;
}

/** Each further 429 doubles the wait, up to this, ms. */
const LONGEST_LIMIT_WAIT = 30_000;
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
  let waited = 0;
  let lastLimitWait = 0;
  let failures = 0;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      let wait: number;
      if (error.code === "rate_limited") {
        wait = lastLimitWait === 0 ? toldWait(error) : Math.max(toldWait(error), Math.min(LONGEST_LIMIT_WAIT, lastLimitWait * 2));
        lastLimitWait = wait;
        waited += wait;
        if (waited > rules.maxWaitMs) throw error;
        waiting.onWait("rate limit", wait);
      } else if (rules.repeatable && faults.has(error.code) && failures < FAULT_RETRIES) {
        wait = Math.round(FIRST_BACKOFF * 2 ** failures * (0.5 + waiting.random()));
        failures += 1;
        waiting.onWait(error.message, wait);
      } else {
        throw error;
      }
      await waiting.sleep(wait, signal);
    }
  }
}

/** The wait a 429 tells, ms; a second where it tells nothing usable. */
function toldWait(error: ApiError): number {
  const told = error.extra.retryAfterMs;
  return typeof told === "number" && Number.isFinite(told) && told >= 0 ? told : 1000;
}
