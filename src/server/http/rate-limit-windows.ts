/** Fixed windows of requests in memory, bounded in number: for addresses, of which anyone may have very many. */
import { isIPv6 } from "node:net";

/** How many requests a window allows. */
export interface RateLimit {
  readonly points: number;
  /** Length of the window. */
  readonly seconds: number;
}

/** How many windows are kept of one limit: some 15 MB, and more addresses in a minute than a service has clients. */
export const MAX_WINDOWS = 100_000;

interface RateLimitWindow {
  /** When it ends, on the monotonic clock, ms. */
  readonly until: number;
  left: number;
}

/**
 * Counts requests by who sends them, in windows that start with the first. Windows lie in two generations, of which the
 * older is dropped whole: once all of it has ended, or where there are too many, its senders getting windows anew.
 */
export class RateLimitWindows {
  readonly #rate: RateLimit;
  readonly #most: number;
  #young = new Map<string, RateLimitWindow>();
  #old = new Map<string, RateLimitWindow>();
  /** Since when windows are opened in the young generation, ms. */
  #since = 0;

  constructor(rate: RateLimit, most = MAX_WINDOWS) {
    this.#rate = rate;
    this.#most = most;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Counts a request at `now`, ms on a monotonic clock. Answers 0, or how long its sender is to wait where the window is full, ms. */
  take(who: string, now: number): number {
    const length = this.#rate.seconds * 1000;
    const known = this.#young.get(who) ?? this.#old.get(who);
    if (known && known.until > now) {
      if (known.left === 0) return known.until - now;
      known.left -= 1;
      return 0;
    }
    if (this.#young.size >= this.#most / 2 || now >= this.#since + length) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#since = now;
    }
    this.#young.set(who, { until: now + length, left: this.#rate.points - 1 });
    return 0;
  }
}

/** The longest address there is: an IPv6 one that ends in an IPv4 one. What a proxy says beyond that is no address. */
const MAX_ADDRESS_LENGTH = 45;

/**
 * Whom requests from an address are counted against: an IPv6 client has a whole /64 of them (RFC 6177), so its network
 * stands for it; an IPv4 one behind `::ffff:` is itself.
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
