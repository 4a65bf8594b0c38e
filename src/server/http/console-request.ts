/** What the console reads from a request: its cookie, its form, and where it comes from. */

import { parse, serialize } from "hono/utils/cookie";
import { HttpError } from "../../contract/errors.ts";
import { listAccounts } from "../accounts/account-queries.ts";
import { CONSOLE_SESSION_MS, findConsoleKey } from "../accounts/console-sessions.ts";
import { hashKey } from "../accounts/keys.ts";
import { emptyColumns } from "../db/rows.ts";
import type { ApiKeyRow } from "../db/schema.ts";
import { readBytes } from "./body.ts";
import { type Exchange, required } from "./exchange.ts";
import type { AppService } from "./service.ts";
import type { TrustedIdentity } from "./trusted-identity.ts";

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

/** Somebody who may read pages. */
interface Reader {
  readonly key: ApiKeyRow;
  /** Identifies the reader for the rate limit. */
  readonly client: string;
  /** The name from the proxy; null for somebody who signed in with a key. */
  readonly name: string | null;
}

/** The reader with a session; null if the session or its key has ended. */
export async function findSessionReader(service: AppService, token: string | null): Promise<Reader | null> {
  const key = token === null ? null : await findConsoleKey(service, token);
  if (token === null || key === null) return null;
  if (!service.temporaryKeys.includes(key)) service.keyUse.record(key);
  return { key, client: hashKey(token), name: null };
}

/** The reader whom the proxy names. Reads the only account. Throws `forbidden`. */
export async function findNamedReader(
  service: AppService,
  identity: TrustedIdentity,
  { request, peer }: Exchange,
): Promise<Reader> {
  const name = identity.find(request, peer);
  const [account, another] = await listAccounts(service.store.readDb);
  if (!account || another)
    throw new HttpError("forbidden", {
      message: "A proxy can sign people in only if the server has exactly one account",
    });
  const client = hashKey(name);
  const own = { hash: client, account_id: account.id, kind: "management", name, created_at: 0 } as const;
  const key = { ...emptyColumns("keys"), ...own };
  return { key, client, name };
}
