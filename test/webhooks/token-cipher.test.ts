/** Tokens are encrypted for one owner with one key, and damage is noticed. */
import { describe, expect, test } from "vitest";
import { decryptToken, encryptToken, parseTokenKey } from "../../src/webhooks/token-cipher.ts";

const key = Buffer.alloc(32, 1);

test("is decrypted for its owner with its key, and never looks the same twice", () => {
  const [first, second] = [encryptToken("t0ken ✓", key, "whk_1"), encryptToken("t0ken ✓", key, "whk_1")];
  expect(first).not.toBe(second);
  expect([first, second].map((stored) => decryptToken(stored, key, "whk_1"))).toEqual(["t0ken ✓", "t0ken ✓"]);
});

describe("is refused", () => {
  const stored = encryptToken("token", key, "whk_1");
  const damaged = `${stored.slice(0, -1)}${stored.endsWith("A") ? "B" : "A"}`;
  test.each([
    ["without a key", stored, null, "whk_1", "There is no key"],
    ["with another key", stored, Buffer.alloc(32, 2), "whk_1", "another key"],
    ["for another owner", stored, key, "whk_2", "another key"],
    ["if it is damaged", damaged.replace(".", ".A"), key, "whk_1", "another key"],
    ["if it is cut", stored.slice(0, 10), key, "whk_1", "damaged"],
    ["in another format", `v2${stored.slice(2)}`, key, "whk_1", "damaged"],
  ])("%s", (_how, text, given, owner, message) => {
    expect(() => decryptToken(text, given, owner)).toThrow(message);
  });
});

test("a key is 64 hexadecimal digits", () => {
  expect(parseTokenKey("0a".repeat(32))).toEqual(Buffer.alloc(32, 10));
  for (const text of ["", "0a".repeat(31), "0a".repeat(33), "zz".repeat(32)])
    expect(parseTokenKey(text)).toBeNull();
});
