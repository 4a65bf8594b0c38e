/** Responses of the console. */
import { createHash } from "node:crypto";
import type { PageResponse } from "../../console/files.ts";
import { type Exchange, respond } from "./exchange.ts";

/** Pages load only files of this server, run no inline code, and appear in no frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  ...["style-src", "script-src", "img-src", "connect-src", "form-action"].map((name) => `${name} 'self'`),
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** Headers of every response of the console, also of errors. */
export const pageHeaders = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** Sends a page or file with an ETag. Returns 304 if the browser has it. */
export function respondPage(exchange: Exchange, { status, type, text, cache }: PageResponse): Response {
  const { headers, request } = exchange;
  headers["content-type"] = type;
  headers["cache-control"] = cache;
  if (status !== 200) return respond(exchange, status, text);
  headers.etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;
  headers.vary = "Cookie";
  if (isKnown(request.headers.get("if-none-match"), headers.etag)) {
    const { "content-type": _type, ...rest } = headers;
    return new Response(null, { status: 304, headers: rest });
  }
  return respond(exchange, status, text);
}

/** Sends the browser to an address of this server. */
export function redirect(
  { headers: { "content-type": _type, ...headers } }: Exchange,
  location: string,
): Response {
  return new Response(null, { status: 303, headers: { ...headers, location, "cache-control": "no-store" } });
}

/** Whether one of the ETags of `If-None-Match` is the page's. Proxies that compress make them weak. */
const isKnown = (header: string | null, etag: string) =>
  (header ?? "").split(",").some((one) => one.trim().replace(/^W\//, "") === etag);

/** How old a page may be, ms. It is a fraction of the time between two requests of an open page. */
const MAX_AGE_MS = 1000;
/** The number of pages that are kept. */
const MAX_PAGES = 32;

interface Shown {
  readonly page: Promise<PageResponse>;
  /** The monotonic time at which the page was ready; null before. */
  readyAt: number | null;
}

export class RecentPages {
  readonly #pages = new Map<string, Shown>();
  readonly #now: () => number;

  /** `now` is the monotonic clock, ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The page with a name that was shown within the last second or is being prepared; else the result of `show`. */
  async find(name: string, show: () => Promise<PageResponse>): Promise<PageResponse> {
    this.#removeOld();
    const known = this.#pages.get(name);
    if (known) return await known.page;
    const shown: Shown = { page: show(), readyAt: null };
    this.#pages.set(name, shown);
    try {
      const page = await shown.page;
      shown.readyAt = this.#now();
      if (page.status !== 200) this.#pages.delete(name);
      return page;
    } catch (error) {
      this.#pages.delete(name);
      throw error;
    }
  }

  #removeOld(): void {
    for (const [name, { readyAt }] of this.#pages) {
      const isOld = readyAt !== null && this.#now() - readyAt >= MAX_AGE_MS;
      if (isOld || this.#pages.size > MAX_PAGES) this.#pages.delete(name);
    }
  }
}
