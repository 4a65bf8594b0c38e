/** Reads a provider's key from the environment or standard input. Other users could read it in the arguments. */
import { fail } from "../../../errors.ts";
import type { Io } from "../../../io.ts";
import { readText } from "../text-file.ts";

export const PROVIDER_KEY_VARIABLE = "PLAYTEST_PROVIDER_KEY";

/** Reads the key. Throws `usage` if it is missing or invalid. */
export async function readProviderKey(io: Io): Promise<string> {
  const text = io.env[PROVIDER_KEY_VARIABLE] || (io.stdin.isTTY ? "" : await readText(io, "-"));
  const key = text.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw fail("usage", {
      message: key === "" ? "No key provided" : "The key contains spaces or invalid characters",
      hint: `Pipe the key in, or set ${PROVIDER_KEY_VARIABLE}. If the model needs no key, use any word.`,
    });
  }
  return key;
}
