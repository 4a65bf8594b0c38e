/** Signs requests as Standard Webhooks does (https://www.standardwebhooks.com), for which most languages have a library. */
import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 24;

/** A new secret. */
export function createSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Whether a text is a secret: `whsec_` and the Base64 form of 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text)) return false;
  const { length } = decodeSecret(text);
  return length >= SECRET_BYTES && length <= 64;
}

const decodeSecret = (secret: string) => Buffer.from(secret.slice(PREFIX.length), "base64");

/**
 * The headers that identify and sign a request. Without a secret, it is not signed. Several secrets give several signatures, of
 * which a receiver accepts any, so that it can change its secret. `now` is unix ms.
 */
export function signHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  secrets: readonly string[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secrets.length === 0) return headers;
  const sign = (secret: string) =>
    `v1,${createHmac("sha256", decodeSecret(secret)).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  return { ...headers, "webhook-signature": secrets.map(sign).join(" ") };
}
