/** Rate limits: fixed windows that start with the first request, per key and per address. */
import type { Pool } from "pg";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { HttpError } from "../../contract/errors.ts";
import { type RateLimit, RateLimitWindows, toNetwork } from "./rate-limit-windows.ts";

export interface RateLimitSettings {
  /** Requests of one management key. */
  readonly key: RateLimit;
  /** Requests from one address, of any kind. */
  readonly ip: RateLimit;
  /** Telemetry requests from one address. */
  readonly telemetry: RateLimit;
}

export const defaultRateLimits: RateLimitSettings = {
  key: { points: 60, seconds: 60 },
  ip: { points: 600, seconds: 60 },
  telemetry: { points: 120, seconds: 60 },
};

export type RateLimitName = keyof RateLimitSettings;

export interface RateLimits {
  /** Counts one request of `who`; throws `rate_limited` with the time to wait once the window is full. */
  take(limit: RateLimitName, who: string): Promise<void>;
}

/** Limits that let everything through: for bulk loads and tests. */
const noLimits: RateLimits = { take: async () => {} };

/**
 * The limits of a service: shared through the database where several servers use it, else in memory. Windows in memory
 * follow `monotonicNow`, ms.
 */
export function createRateLimits(
  settings: RateLimitSettings | "off",
  pool: Pool | null,
  monotonicNow: () => number,
): RateLimits {
  if (settings === "off") return noLimits;
  return pool ? postgresLimits(pool, settings, monotonicNow) : memoryLimits(settings, monotonicNow);
}

/** Limits counted in this process's memory. */
function memoryLimits(settings: RateLimitSettings, monotonicNow: () => number): RateLimits {
  const windows = {
    key: new RateLimitWindows(settings.key),
    ip: new RateLimitWindows(settings.ip),
    telemetry: new RateLimitWindows(settings.telemetry),
  };
  return {
    async take(limit, who) {
      const waitMs = windows[limit].take(toCountedKey(limit, who), monotonicNow());
      if (waitMs > 0) throw rateLimitedError(limit, waitMs);
    },
  };
}

/** Limits counted in the table `rate_limits`, for all servers on a database; in memory while it cannot be reached. */
function postgresLimits(pool: Pool, settings: RateLimitSettings, monotonicNow: () => number): RateLimits {
  const limiterOf = (name: RateLimitName) =>
    new RateLimiterPostgres({
      points: settings[name].points,
      duration: settings[name].seconds,
      storeClient: pool,
      storeType: "pool",
      tableName: "rate_limits",
      tableCreated: true,
      keyPrefix: name,
      // Who is over the limit is refused without asking the database until the window ends.
      inMemoryBlockOnConsumed: settings[name].points + 1,
    });
  const limiters = { key: limiterOf("key"), ip: limiterOf("ip"), telemetry: limiterOf("telemetry") };
  const meanwhile = memoryLimits(settings, monotonicNow);
  return {
    async take(limit, who) {
      try {
        await limiters[limit].consume(toCountedKey(limit, who));
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) return await meanwhile.take(limit, who);
        throw rateLimitedError(limit, Math.max(1, Math.ceil(refused.msBeforeNext)));
      }
    },
  };
}

const toCountedKey = (limit: RateLimitName, who: string) => (limit === "key" ? who : toNetwork(who));

const rateLimitedError = (limit: RateLimitName, retryAfterMs: number) =>
  new HttpError("rate_limited", { extra: { retryAfterMs, scope: limit === "key" ? "key" : "ip" } });
