/** Reads text files and transcripts for administrative commands. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CliError, fail } from "../../errors.ts";
import { failToRead } from "../../file-errors.ts";
import type { Io } from "../../io.ts";

/** The maximum size of a transcript, about ten times that of several hours of speech. */
const MAX_TRANSCRIPT_BYTES = 4 * 1024 * 1024;

type Input = Pick<Io, "stdin" | "cwd">;

/** Reads a text file; `-` is standard input. Throws `config` if it cannot be read, `usage` if it is not valid text. */
export async function readText(io: Input, name: string): Promise<string> {
  const bytes = await readBytes(io, name, name);
  try {
    const text = decoder.decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {}
  throw fail("usage", { message: `${name === "-" ? "Standard input" : name} is not valid UTF-8 text` });
}

/** Reads a secret from a variable, or else from standard input. Throws `usage` if it is missing or invalid. */
export async function readSecret(
  io: Io,
  variable: "PLAYTEST_PROVIDER_KEY" | "PLAYTEST_WEBHOOK_TOKEN",
  what: "key" | "token",
  hint = "",
): Promise<string> {
  const text = io.env[variable] || (io.stdin.isTTY ? "" : await readText(io, "-"));
  const secret = text.trim();
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw fail("usage", {
    message: secret === "" ? `No ${what} provided` : `The ${what} contains spaces or invalid characters`,
    hint: `Pipe the ${what} in, or set ${variable}.${hint}`,
  });
}

/** Reads a transcript; `-` is standard input. Throws `config` if it cannot be read, `usage` if it is not valid text. */
export async function readTranscript(io: Input, name: string): Promise<string> {
  const what = name === "-" ? "The transcript from standard input" : `The transcript ${name}`;
  const tooLarge = () =>
    fail("usage", { message: `${what} is larger than ${MAX_TRANSCRIPT_BYTES / 2 ** 20} MiB` });
  const bytes = await readBytes(io, name, `the transcript ${name}`, {
    maxBytes: MAX_TRANSCRIPT_BYTES,
    tooLarge,
  });
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw fail("usage", { message: `${what} is not valid UTF-8 text`, cause });
  }
  return checkTranscript(text, what);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Returns the text. Throws `usage` if it is empty or contains NUL characters. */
export function checkTranscript(text: string, what: string): string {
  if (text.trim() === "") throw fail("usage", { message: `${what} is empty` });
  if (text.includes("\0"))
    throw fail("usage", { message: `${what} contains NUL characters, so it is not a text file` });
  return text;
}

const unlimited = { maxBytes: Number.POSITIVE_INFINITY, tooLarge: () => new RangeError() };

/** `what` describes the file in errors. */
async function readBytes(
  { stdin, cwd }: Input,
  name: string,
  what: string,
  { maxBytes, tooLarge } = unlimited,
): Promise<Uint8Array> {
  if (name === "-") {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of stdin.read()) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) throw tooLarge();
    }
    return Buffer.concat(chunks);
  }
  const path = resolve(cwd, name);
  try {
    if ((await stat(path)).size > maxBytes) throw tooLarge();
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw failToRead(what, "Check the path and its permissions.", cause);
  }
}
