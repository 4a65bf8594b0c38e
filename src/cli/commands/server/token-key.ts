/** The key that encrypts the tokens of webhooks. The database does not contain it. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseTokenKey } from "../../../webhooks/token-cipher.ts";
import { fail } from "../../errors.ts";
import { failToRead } from "../../file-errors.ts";
import type { Io } from "../../io.ts";

const VARIABLE = "PLAYTEST_TOKEN_KEY";
const FILE_VARIABLE = "PLAYTEST_TOKEN_KEY_FILE";

/** Reads the key; null if none is set. Throws `config` if it is invalid or its file cannot be read. */
export async function readTokenKey({ env, cwd }: Pick<Io, "env" | "cwd">): Promise<Buffer | null> {
  const file = env[FILE_VARIABLE];
  const text = env[VARIABLE] || (file ? await readKeyFile(resolve(cwd, file)) : "");
  if (text === "") return null;
  const key = parseTokenKey(text.trim());
  if (key) return key;
  throw fail("config", {
    message: `${env[VARIABLE] ? VARIABLE : `The file of ${FILE_VARIABLE}`} is not a key of 64 hexadecimal digits`,
    hint: "Create one with `openssl rand -hex 32`.",
  });
}

/** Reads the key. Throws `config` without one. */
export async function requireTokenKey(io: Pick<Io, "env" | "cwd">): Promise<Buffer> {
  const key = await readTokenKey(io);
  if (key) return key;
  throw fail("config", {
    message: `The token of a webhook is stored encrypted, and ${VARIABLE} is not set`,
    hint: `Create a key with \`openssl rand -hex 32\`, and set ${VARIABLE}, or ${FILE_VARIABLE} to a file that contains it, here and for the server.`,
  });
}

async function readKeyFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw failToRead(`${path} of ${FILE_VARIABLE}`, "Check its path and permissions.", cause);
  }
}
