/** Responses of the console. */
import { createHash } from "node:crypto";
import type { PageResponse } from "../../console/response.ts";
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
