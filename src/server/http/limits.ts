/** Rate limits: fixed windows that start with the first request, per key and per address. */
import type { Pool } from "pg";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { HttpError } from "../../contract/errors.ts";
import { networkOf, type Rate, Windows } from "./windows.ts";

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
const noLimits: Limits = { take: async () => {} };

/**
 * The limits of a service: shared through the database where several servers use it, else in memory. Windows in memory
 * follow `monotonicNow`, ms.
 */
export function createLimits(
  settings: LimitSettings | "off",
  pool: Pool | null,
  monotonicNow: () => number,
): Limits {
  if (settings === "off") return noLimits;
  return pool ? postgresLimits(pool, settings, monotonicNow) : memoryLimits(settings, monotonicNow);
}

/** Limits counted in this process's memory. */
function memoryLimits(settings: LimitSettings, monotonicNow: () => number): Limits {
  const windows = {
    key: new Windows(settings.key),
    ip: new Windows(settings.ip),
    telemetry: new Windows(settings.telemetry),
  };
  return {
    async take(limit, who) {
      const waitMs = windows[limit].take(countedAs(limit, who), monotonicNow());
      if (waitMs > 0) throw limited(limit, waitMs);
    },
  };
}

/** Limits counted in the table `rate_limits`, for all servers on a database; in memory while it cannot be reached. */
function postgresLimits(pool: Pool, settings: LimitSettings, monotonicNow: () => number): Limits {
  const limiterOf = (name: LimitName) =>
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
        await limiters[limit].consume(countedAs(limit, who));
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) return await meanwhile.take(limit, who);
        throw limited(limit, Math.max(1, Math.ceil(refused.msBeforeNext)));
      }
    },
  };
}

const countedAs = (limit: LimitName, who: string) => (limit === "key" ? who : networkOf(who));

const limited = (limit: LimitName, retryAfterMs: number) =>
  new HttpError("rate_limited", { extra: { retryAfterMs, scope: limit === "key" ? "key" : "ip" } });
