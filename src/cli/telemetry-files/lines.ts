/** Reads the lines of a file, of gzip or of standard input, one at a time; what is damaged is told with where. */
import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { createGunzip } from "node:zlib";
import { CliError, fail } from "../errors.ts";
import type { Io } from "../io.ts";

export interface TextLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** A longer line is no telemetry body, bytes. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** The name that stands for standard input. */
export const STDIN = "-";

/** The lines of a source, empty ones left out. Throws `config` where it cannot be read, `incomplete` where it breaks off. */
export async function* readLines(source: string, io: Io): AsyncGenerator<TextLine> {
  const bytes = source === STDIN ? io.stdin.read() : openFile(resolve(io.cwd, source));
  let number = 0;
  try {
    for await (const text of splitLines(unzip(bytes), source)) {
      number += 1;
      if (text.trim() !== "") yield { number, text };
    }
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const { code = "", message } = cause as NodeJS.ErrnoException;
    if (code.startsWith("Z_")) {
      throw fail("incomplete", {
        message: `${source} is damaged gzip: it breaks off after line ${number}`,
        hint: "The lines before were taken. Get the file again and run the command once more.",
        cause,
      });
    }
    if (code === "" || number > 0) throw cause;
    const why = code === "ENOENT" ? "there is no such file" : message;
    throw fail("config", { message: `${source} cannot be read: ${why}`, hint: "Check the path.", cause });
  }
}

/**
 * The first line of a source, and all of its lines from it on. The source is read once, for a pipe is gone then; what
 * reading it fails with comes from the lines, and the first is null.
 */
export async function peekLines(
  source: string,
  io: Io,
): Promise<{ readonly first: TextLine | null; readonly lines: AsyncIterable<TextLine> }> {
  const rest = readLines(source, io);
  const begun = await rest.next().catch((fault: unknown) => ({ fault }));
  const lines = async function* () {
    if ("fault" in begun) throw begun.fault;
    if (!begun.done) yield begun.value;
    yield* rest;
  };
  return { first: "fault" in begun || begun.done ? null : begun.value, lines: lines() };
}

function openFile(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: 256 * 1024 });
}

/** The bytes, decompressed where they begin as gzip does. */
async function* unzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let next = await iterator.next();
  while (!next.done && head.length < 2) {
    head = Buffer.concat([head, next.value]);
    next = await iterator.next();
  }
  const rest = async function* () {
    yield head;
    for (; !next.done; next = await iterator.next()) yield next.value;
  };
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* rest();
    return;
  }
  const { Readable } = await import("node:stream");
  const { pipeline } = await import("node:stream/promises");
  const gunzip = createGunzip();
  const flow = pipeline(Readable.from(rest()), gunzip);
  flow.catch(() => {});
  yield* gunzip as AsyncIterable<Uint8Array>;
  await flow;
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
        message: `${source} holds a line of more than ${MAX_LINE_BYTES / 2 ** 20} MiB`,
        hint: "A line is one body of telemetry: split it.",
      });
  }
  if (length > 0) yield decoder.decode(Buffer.concat(parts));
}
