/** The key of a provider: from the environment or standard input, never from an argument, which others could read. */
import { fail } from "../../../errors.ts";
import type { Io } from "../../../io.ts";
import { readText } from "../text-file.ts";

export const PROVIDER_KEY_VARIABLE = "PLAYTEST_PROVIDER_KEY";

/** The key that is given. Throws `usage` for none, or what is no key. */
export async function readProviderKey(io: Io): Promise<string> {
  const given = io.env[PROVIDER_KEY_VARIABLE] || (io.stdin.isTTY ? "" : await readText(io, "-"));
  const key = given.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw fail("usage", {
      message: key === "" ? "No key was given" : "The key holds spaces or characters that no key has",
      hint: `Pipe it in, or set ${PROVIDER_KEY_VARIABLE}; a model that needs none takes any word.`,
    });
  }
  return key;
}
