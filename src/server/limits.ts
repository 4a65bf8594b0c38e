/** Rate limits: fixed windows that start with the first request, per key and per address. */
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { fail } from "../contract/errors.ts";

/** So many requests in so many seconds. */
export interface Rate {
  readonly points: number;
  readonly seconds: number;
}

export interface LimitSettings {
  /** Requests of one management key. */
  readonly key: Rate;
  /** Requests from one address, of any kind. */
  readonly ip: Rate;
  /** Telemetry requests from one address. */
  readonly telemetry: Rate;
}

export const defaultLimits: LimitSettings = {
  key: { points: 60, seconds: 60 },
  ip: { points: 600, seconds: 60 },
  telemetry: { points: 120, seconds: 60 },
};

export type LimitName = keyof LimitSettings;

export interface Limits {
  /** Counts one request of `who`; throws `rate_limited` with the time to wait once the window is full. */
  take(limit: LimitName, who: string): Promise<void>;
}

/** Limits that let everything through: for bulk loads and tests. */
export const noLimits: Limits = { take: async () => {} };

/** Limits counted in this process's memory. */
export function memoryLimits(settings: LimitSettings): Limits {
  const limiters = {
    key: limiterOf(settings.key),
    ip: limiterOf(settings.ip),
    telemetry: limiterOf(settings.telemetry),
  };
  return {
    async take(limit, who) {
      try {
        await limiters[limit].consume(who);
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        const retryAfterMs = Math.max(1, Math.ceil(refused.msBeforeNext));
        throw fail("rate_limited", { extra: { retryAfterMs, scope: limit === "key" ? "key" : "ip" } });
      }
    },
  };
}

function limiterOf(rate: Rate): RateLimiterMemory {
  return new RateLimiterMemory({ points: rate.points, duration: rate.seconds });
}
