/** Reads lines from a file or standard input, plain or gzip. Errors name the line where the input is damaged. */
import { constants } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type CliError, fail } from "../errors.ts";
import type { Io } from "../io.ts";
import { describeSource, explainReadFailure, readBytes, readError, STDIN } from "./bytes.ts";

export interface TextLine {
  /** The line number, from 1. */
  readonly number: number;
  readonly text: string;
}

/** The maximum length of a line; far more than a telemetry body may have. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** The maximum size of all empty lines of a file. They are skipped, so that a small gzip file could keep a run busy. */
const MAX_EMPTY_BYTES = 1024 * 1024;

/** The lines of a file, without empty ones. Throws `config` if it cannot be read, `incomplete` if it is damaged. */
export async function* readLines(source: string, io: Io): AsyncGenerator<TextLine> {
  let number = 0;
  let emptyBytes = 0;
  try {
    for await (const text of splitLines(readBytes(source, io), source)) {
      number += 1;
      if (text.trim() !== "") yield { number, text };
      else emptyBytes += text.length + 1;
      if (emptyBytes > MAX_EMPTY_BYTES) throw tooManyEmptyLines(source, number);
    }
  } catch (cause) {
    throw explainReadFailure(cause, source, number);
  }
}

function tooManyEmptyLines(source: string, number: number): CliError {
  return fail("incomplete", {
    message: `${describeSource(source)} has more than ${MAX_EMPTY_BYTES / 2 ** 20} MiB of empty lines, up to line ${number}`,
    hint: "Remove the empty lines, for example with `grep .`, and rerun the command.",
  });
}

/** Throws `config` for the first file that cannot be read, so that a command can refuse it before it changes anything. */
export async function requireReadable(sources: readonly string[], io: Pick<Io, "cwd">): Promise<void> {
  for (const source of sources) {
    if (source === STDIN) continue;
    try {
      await tryReading(resolve(io.cwd, source));
    } catch (cause) {
      throw readError(source, cause);
    }
  }
}

/** Opens only regular files: the writer of a named pipe would lose its reader when the pipe is closed again. */
async function tryReading(path: string): Promise<void> {
  const found = await stat(path);
  if (found.isDirectory()) throw Object.assign(new Error(`${path} is a folder`), { code: "EISDIR" });
  if (!found.isFile()) return await access(path, constants.R_OK);
  const file = await open(path);
  await file.close();
}

/**
 * Reads the first line of a file, and returns it with an iterator over all lines. The file is read only once, because
 * standard input cannot be read again. If reading the first line fails, it is null and the iterator throws the error.
 */
export async function peekLines(
  source: string,
  io: Io,
): Promise<{ readonly first: TextLine | null; readonly lines: AsyncIterable<TextLine> }> {
  const rest = readLines(source, io);
  const first = await rest.next().catch((error: unknown) => ({ error }));
  const lines = async function* () {
    if ("error" in first) throw first.error;
    if (!first.done) yield first.value;
    yield* rest;
  };
  return { first: "error" in first || first.done ? null : first.value, lines: lines() };
}

async function* splitLines(bytes: AsyncIterable<Uint8Array>, source: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      yield decoder.decode(Buffer.concat(parts));
      parts = [];
      length = 0;
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > MAX_LINE_BYTES)
      throw fail("incomplete", {
        message: `${describeSource(source)} contains a line longer than ${MAX_LINE_BYTES / 2 ** 20} MiB`,
        hint: "Each line is one telemetry request. Split the line into several.",
      });
  }
  if (length > 0) yield decoder.decode(Buffer.concat(parts));
}
