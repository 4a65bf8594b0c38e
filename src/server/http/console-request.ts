/** What the console reads from a request: its cookie, its form, and where it comes from. */
import { parse, serialize } from "hono/utils/cookie";
import { HttpError } from "../../contract/errors.ts";
import { CONSOLE_SESSION_MS } from "../accounts/console-sessions.ts";
import { readBytes } from "./body.ts";
import { type Exchange, required } from "./exchange.ts";

/** Browsers accept the prefix only with `Secure`, and then only from this host. */
const SECURE_NAME = "__Host-playtest";
const PLAIN_NAME = "playtest";

const attributes = { path: "/", httpOnly: true, sameSite: "Strict" } as const;

/** Whether the browser uses TLS, which ends at a proxy. The header has no effect except on the browser that sent it. */
const isSecure = ({ headers }: Request) =>
  /^https$/i.test((headers.get("x-forwarded-proto") ?? "").split(",")[0]?.trim() ?? "");

/** The token of a request; null without one. */
export function readToken(request: Request): string | null {
  const cookies = parse(request.headers.get("cookie") ?? "");
  return cookies[isSecure(request) ? SECURE_NAME : PLAIN_NAME] ?? null;
}

/** The `Set-Cookie` header for a new session. */
export function formatSessionCookie(request: Request, token: string): string {
  return format(request, token, CONSOLE_SESSION_MS / 1000);
}

/** The `Set-Cookie` header that removes the cookie. */
export function formatExpiredCookie(request: Request): string {
  return format(request, "", 0);
}

function format(request: Request, value: string, maxAge: number): string {
  return isSecure(request)
    ? serialize(SECURE_NAME, value, { ...attributes, maxAge, secure: true })
    : serialize(PLAIN_NAME, value, { ...attributes, maxAge });
}

/** The maximum size of a form in bytes. */
const MAX_FORM = 4096;

/** Reads the fields of a form. Throws `bad_request` if it is too large or did not arrive completely. */
export async function readForm({ request, permit }: Exchange): Promise<URLSearchParams> {
  try {
    const bytes = await readBytes(request, MAX_FORM, required(permit, "permit"));
    return new URLSearchParams(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof HttpError) || error.code !== "payload_too_large") throw error;
    throw new HttpError("bad_request", { message: `The form must be at most ${MAX_FORM} bytes` });
  }
}

/** A path of visible ASCII characters. Browsers read `//` as the start of a host, and `\` as `/`. */
const LOCAL = /^\/([!-.0-[\]-~][!-[\]-~]*)?$/;

/** An address of this server, so that a form cannot lead to another one. */
export function toLocalAddress(next: string | null): string {
  return next !== null && LOCAL.test(next) ? next : "/";
}

/**
 * Throws `forbidden` if a page of another origin sent the request. Browsers name it in `Sec-Fetch-Site`, or without
 * TLS in `Origin`. Programs send neither.
 */
export function requireSameOrigin({ headers }: Request): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isSame =
    site === null
      ? origin === null || (URL.canParse(origin) && new URL(origin).host === headers.get("host"))
      : site === "same-origin" || site === "none";
  if (!isSame) throw new HttpError("forbidden", { message: "A page of another site sent this form" });
}

/** Whether a link on another site led to the request. Browsers then leave out cookies with `SameSite=Strict`. */
export function isLinkFromElsewhere({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  return site === "cross-site" || site === "same-site";
}
