/** Rate limiting with fixed windows in memory. The number of windows is limited, because clients can use many addresses. */
import { isIPv6 } from "node:net";

export interface RateLimit {
  /** The number of requests per window. */
  readonly points: number;
  /** Length of the window. */
  readonly seconds: number;
}

/** The maximum number of windows per limit. They take about 15 MB, and few services have as many clients per minute. */
export const MAX_WINDOWS = 100_000;

interface RateLimitWindow {
  /** The end of the window on the monotonic clock, ms. */
  readonly endsAt: number;
  remaining: number;
}

/**
 * Counts requests by client, in windows that start with the client's first request. The windows are in two generations.
 * The older generation is dropped as a whole when all of its windows have ended, or earlier if there are too many windows.
 */
export class RateLimitWindows {
  readonly #limit: RateLimit;
  readonly #maxWindows: number;
  #young = new Map<string, RateLimitWindow>();
  #old = new Map<string, RateLimitWindow>();
  /** When the young generation was started, ms. */
  #youngSince = 0;

  constructor(limit: RateLimit, maxWindows = MAX_WINDOWS) {
    this.#limit = limit;
    this.#maxWindows = maxWindows;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Counts a request at `now`, ms on a monotonic clock. Returns 0, or the time to wait in ms if the limit is reached. */
  take(client: string, now: number): number {
    const windowMs = this.#limit.seconds * 1000;
    const current = this.#young.get(client) ?? this.#old.get(client);
    if (current && current.endsAt > now) {
      if (current.remaining === 0) return current.endsAt - now;
      current.remaining -= 1;
      return 0;
    }
    if (this.#young.size >= this.#maxWindows / 2 || now >= this.#youngSince + windowMs) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSince = now;
    }
    this.#young.set(client, { endsAt: now + windowMs, remaining: this.#limit.points - 1 });
    return 0;
  }
}

/** The maximum length of an address: IPv6 with an embedded IPv4 address. A proxy may send longer text. */
const MAX_ADDRESS_LENGTH = 45;

/**
 * Returns the network that requests from an address count toward. An IPv6 client usually has a whole /64 (RFC 6177), so
 * that is its network. An IPv4 address, also if mapped to IPv6 (`::ffff:`), is its own network.
 */
export function toNetwork(address: string): string {
  const plain = address.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
  if (!isIPv6(plain)) return plain.slice(0, MAX_ADDRESS_LENGTH);
  const [before = "", after] = plain.split("::");
  const groups = before === "" ? [] : before.split(":");
  const zeros = after === undefined ? 0 : 8 - groups.length - after.split(":").filter(Boolean).length;
  const whole = [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...(after?.split(":") ?? [])];
  return `${whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
