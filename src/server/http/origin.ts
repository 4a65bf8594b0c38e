/** Whether a form was sent by a page of this server, which prevents requests that other web pages forge. */
import { HttpError } from "../../contract/errors.ts";

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
