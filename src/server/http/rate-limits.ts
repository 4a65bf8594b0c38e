/** Rate limits per key and per address, with fixed windows that start with the first request. */
import type { Pool } from "pg";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { HttpError } from "../../contract/errors.ts";
import { type RateLimit, RateLimitWindows, toNetwork } from "./rate-limit-windows.ts";

export interface RateLimitSettings {
  /** Limit of requests with one management key. */
  readonly key: RateLimit;
  /** Limit of all requests from one address. */
  readonly ip: RateLimit;
  /** Limit of reads of game clients from one address. */
  readonly telemetry: RateLimit;
  /** Limit of writes of game clients from one address. They do not count toward `ip`, so that a playtest room fits. */
  readonly ingest?: RateLimit;
  /** Limit of writes of one device, inside the limit of its address. */
  readonly device?: RateLimit;
}

export const defaultRateLimits: Required<RateLimitSettings> = {
  key: { points: 60, seconds: 60 },
  ip: { points: 600, seconds: 60 },
  telemetry: { points: 120, seconds: 60 },
  ingest: { points: 1200, seconds: 60 },
  device: { points: 120, seconds: 60 },
};

export type RateLimitName = keyof RateLimitSettings;

/** Limits whose clients are addresses, which are counted by network. */
const addressLimits: ReadonlySet<RateLimitName> = new Set(["ip", "telemetry", "ingest"]);

export interface RateLimits {
  /** Counts a request of a client (a key, an address or a device). Throws `rate_limited` if the limit is reached. */
  take(limit: RateLimitName, client: string): Promise<void>;
}

const noLimits: RateLimits = { take: async () => {} };

/**
 * Creates the limits of a service: in the database if several servers can share it (Postgres), otherwise in memory.
 * `monotonicNow` is the clock of windows in memory, ms.
 */
export function createRateLimits(
  settings: RateLimitSettings | "off",
  pool: Pool | null,
  monotonicNow: () => number,
): RateLimits {
  if (settings === "off") return noLimits;
  const all = { ...defaultRateLimits, ...settings };
  return pool ? postgresLimits(pool, all, monotonicNow) : memoryLimits(all, monotonicNow);
}

/** Limits counted in this process's memory. */
function memoryLimits(settings: Required<RateLimitSettings>, monotonicNow: () => number): RateLimits {
  const windows = {
    key: new RateLimitWindows(settings.key),
    ip: new RateLimitWindows(settings.ip),
    telemetry: new RateLimitWindows(settings.telemetry),
    ingest: new RateLimitWindows(settings.ingest),
    device: new RateLimitWindows(settings.device),
  };
  return {
    async take(limit, client) {
      const waitMs = windows[limit].take(toCountedKey(limit, client), monotonicNow());
      if (waitMs > 0) throw rateLimitedError(limit, waitMs);
    },
  };
}

/** Limits in the table `rate_limits`, shared by all servers of a database. While it is unavailable, counts in memory. */
function postgresLimits(
  pool: Pool,
  settings: Required<RateLimitSettings>,
  monotonicNow: () => number,
): RateLimits {
  const createLimiter = (name: RateLimitName) =>
    new RateLimiterPostgres({
      points: settings[name].points,
      duration: settings[name].seconds,
      storeClient: pool,
      storeType: "pool",
      tableName: "rate_limits",
      tableCreated: true,
      keyPrefix: name,
      // Rejects further requests of the window without a query.
      inMemoryBlockOnConsumed: settings[name].points + 1,
    });
  const limiters = {
    key: createLimiter("key"),
    ip: createLimiter("ip"),
    telemetry: createLimiter("telemetry"),
    ingest: createLimiter("ingest"),
    device: createLimiter("device"),
  };
  const fallback = memoryLimits(settings, monotonicNow);
  return {
    async take(limit, client) {
      try {
        await limiters[limit].consume(toCountedKey(limit, client));
      } catch (rejection) {
        if (!(rejection instanceof RateLimiterRes)) return await fallback.take(limit, client);
        throw rateLimitedError(limit, Math.max(1, Math.ceil(rejection.msBeforeNext)));
      }
    },
  };
}

const toCountedKey = (limit: RateLimitName, client: string) =>
  addressLimits.has(limit) ? toNetwork(client) : client;

const rateLimitedError = (limit: RateLimitName, retryAfterMs: number) =>
  new HttpError("rate_limited", { extra: { retryAfterMs, scope: limit === "key" ? "key" : "ip" } });
