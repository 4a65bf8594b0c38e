/** Reads a text file for an administrative command. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fail } from "../../errors.ts";
import { explainReadError } from "../../file-errors.ts";
import type { Io } from "../../io.ts";

/** Reads a text file; `-` is standard input. Throws `config` if it cannot be read, `usage` if it is not valid text. */
export async function readText(io: Pick<Io, "stdin" | "cwd">, name: string): Promise<string> {
  const bytes = name === "-" ? await readStdin(io) : await readNamedFile(resolve(io.cwd, name), name);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {}
  throw fail("usage", { message: `${name === "-" ? "Standard input" : name} is not valid UTF-8 text` });
}

async function readNamedFile(path: string, name: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw fail("config", {
      message: `Cannot read ${name}: ${explainReadError(cause)}`,
      hint: "Check the path and its permissions.",
      cause,
    });
  }
}

async function readStdin({ stdin }: Pick<Io, "stdin">): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
