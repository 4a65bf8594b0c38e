/**
 * Encrypts the tokens of receivers with AES-256-GCM, so that a copy of the database alone contains none. The key is not stored
 * (NIST SP 800-38D: a random nonce of 96 bits for each encryption).
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const VERSION = "v1";
const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_DIGITS = 64;

/** A stored token that no key, or another key than the one of the service, encrypted. */
export class UnreadableToken extends Error {
  override readonly name = "UnreadableToken";
}

/** The key of a text: 64 hexadecimal digits. Null for any other text. */
export const parseTokenKey = (text: string): Buffer | null =>
  text.length === KEY_DIGITS && /^[0-9a-fA-F]+$/.test(text) ? Buffer.from(text, "hex") : null;

/** Encrypts a token. It can only be decrypted for the same owner, such as the id of a webhook. */
export function encryptToken(token: string, key: Buffer, owner: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(owner));
  const content = Buffer.concat([nonce, cipher.update(token, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}.${content.toString("base64url")}`;
}

/** Decrypts a stored token. Throws UnreadableToken without a key, or if the key or the owner is another one. */
export function decryptToken(stored: string, key: Buffer | null, owner: string): string {
  const [version, text = ""] = stored.split(".");
  const content = Buffer.from(text, "base64url");
  if (key === null) throw new UnreadableToken("There is no key for the token");
  if (version !== VERSION || content.length < NONCE_BYTES + TAG_BYTES)
    throw new UnreadableToken("The stored token is damaged");
  const decipher = createDecipheriv(ALGORITHM, key, content.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(owner))
    .setAuthTag(content.subarray(-TAG_BYTES));
  try {
    const parts = [decipher.update(content.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(parts).toString("utf8");
  } catch (cause) {
    throw new UnreadableToken("The token was stored with another key", { cause });
  }
}
