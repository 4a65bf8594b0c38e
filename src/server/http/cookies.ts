/** The cookie of the console. It has a random token, never a key. */
import { parse, serialize } from "hono/utils/cookie";
import { CONSOLE_SESSION_MS } from "../accounts/console-sessions.ts";

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
