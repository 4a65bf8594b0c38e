/** Rate limits per key and per address, with fixed windows that start with the first request. */
import type { Pool, QueryConfig } from "pg";
import { RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { HttpError } from "../../contract/errors.ts";
import { type RateLimit, RateLimitWindows, toNetwork } from "./rate-limit-windows.ts";

export interface RateLimitSettings {
  /** Limit of requests with one management key. */
  readonly key: RateLimit;
  /** Limit of requests from one address, except those of game clients. */
  readonly ip: RateLimit;
  /** Limit of reads of game clients from one address. */
  readonly telemetry: RateLimit;
  /** Limit of writes of game clients from one address. */
  readonly ingest?: RateLimit;
  /** Limit of requests of one person who is signed in to the console. */
  readonly page?: RateLimit;
  /** Limit of writes of one device, inside the limit of its address. */
  readonly device?: RateLimit;
}

export const defaultRateLimits: Required<RateLimitSettings> = {
  key: { points: 60, seconds: 60 },
  ip: { points: 600, seconds: 60 },
  telemetry: { points: 120, seconds: 60 },
  ingest: { points: 1200, seconds: 60 },
  device: { points: 120, seconds: 60 },
  page: { points: 240, seconds: 60 },
};

export type RateLimitName = keyof RateLimitSettings;

/** Limits whose clients are addresses, which are counted by network. */
const addressLimits: ReadonlySet<RateLimitName> = new Set(["ip", "telemetry", "ingest"]);

export interface RateLimits {
  /** Counts a request of a client (a key, an address or a device). Throws `rate_limited` if the limit is reached. */
  take(limit: RateLimitName, client: string): Promise<void>;
}

/**
 * A window in the database that ends later than this many windows from now was started before the wall clock was set
 * back, and is dropped. One window would not allow for clocks that differ between servers.
 */
const MAX_WAIT_WINDOWS = 2;

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
    page: new RateLimitWindows(settings.page),
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
  // The library names its statements, so that Postgres keeps them for the connection. Behind a pooler, the next query may
  // have another connection, on which the statement does not exist.
  const createLimiter = (name: RateLimitName) =>
    new RateLimiterPostgres({
      points: settings[name].points,
      duration: settings[name].seconds,
      storeClient: { query: ({ text, values }: QueryConfig) => pool.query(text, values) },
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
    page: createLimiter("page"),
  };
  const fallback = memoryLimits(settings, monotonicNow);
  /** Counts a request. Returns 0, or the time to wait in ms if the limit is reached. Throws if the database is unavailable. */
  const consume = async (limit: RateLimitName, countedKey: string): Promise<number> => {
    try {
      await limiters[limit].consume(countedKey);
      return 0;
    } catch (rejection) {
      if (rejection instanceof RateLimiterRes) return Math.max(1, Math.ceil(rejection.msBeforeNext));
      throw rejection;
    }
  };
  const take = async (limit: RateLimitName, countedKey: string): Promise<number> => {
    const waitMs = await consume(limit, countedKey);
    const maxWaitMs = MAX_WAIT_WINDOWS * settings[limit].seconds * 1000;
    if (waitMs <= maxWaitMs) return waitMs;
    // Of concurrent requests, only the first one deletes the window, so that the new window counts all of them.
    const window = [limiters[limit].getKey(countedKey), Date.now() + maxWaitMs];
    await pool.query("delete from rate_limits where key = $1 and expire > $2", window);
    limiters[limit].deleteInMemoryBlockedAll();
    return Math.min(maxWaitMs, await consume(limit, countedKey));
  };
  return {
    async take(limit, client) {
      const waitMs = await take(limit, toCountedKey(limit, client)).catch(() => null);
      if (waitMs === null) return await fallback.take(limit, client);
      if (waitMs > 0) throw rateLimitedError(limit, waitMs);
    },
  };
}

const toCountedKey = (limit: RateLimitName, client: string) =>
  addressLimits.has(limit) ? toNetwork(client) : client;

const rateLimitedError = (limit: RateLimitName, retryAfterMs: number) =>
  new HttpError("rate_limited", { extra: { retryAfterMs, scope: limit === "key" ? "key" : "ip" } });
