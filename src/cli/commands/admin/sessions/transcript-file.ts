/** Reads a transcript from a file or standard input. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CliError, fail } from "../../../errors.ts";
import { explainReadError } from "../../../file-errors.ts";
import type { Io } from "../../../io.ts";

/** The maximum size of a transcript, about ten times that of several hours of speech. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Reads a transcript; `-` is standard input. Throws `config` if it cannot be read, `usage` if it is not valid text. */
export async function readTranscript(io: Pick<Io, "stdin" | "cwd">, name: string): Promise<string> {
  const bytes = name === "-" ? await readStdin(io) : await readNamedFile(resolve(io.cwd, name), name);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw fail("usage", { message: `${describeTranscript(name)} is not valid UTF-8 text`, cause });
  }
  return checkTranscript(text, describeTranscript(name));
}

const describeTranscript = (name: string) =>
  name === "-" ? "The transcript from standard input" : `The transcript ${name}`;

/** Returns the text. Throws `usage` if it is empty or contains NUL characters. */
export function checkTranscript(text: string, what: string): string {
  if (text.trim() === "") throw fail("usage", { message: `${what} is empty` });
  if (text.includes("\0"))
    throw fail("usage", { message: `${what} contains NUL characters, so it is not a text file` });
  return text;
}

async function readNamedFile(path: string, name: string): Promise<Uint8Array> {
  try {
    if ((await stat(path)).size > MAX_BYTES) throw tooLarge(name);
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw fail("config", {
      message: `Cannot read the transcript ${name}: ${explainReadError(cause)}`,
      hint: "Check the path and its permissions.",
      cause,
    });
  }
}

async function readStdin({ stdin }: Pick<Io, "stdin">): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stdin.read()) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) throw tooLarge("-");
  }
  return Buffer.concat(chunks);
}

function tooLarge(name: string): Error {
  return fail("usage", { message: `${describeTranscript(name)} is larger than ${MAX_BYTES / 2 ** 20} MiB` });
}
