/** Reads the bytes of a file or of standard input, plain or gzip. */
import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { createGunzip } from "node:zlib";
import { CliError, fail } from "../errors.ts";
import { failToRead } from "../file-errors.ts";
import type { Io } from "../io.ts";

/**
 * The maximum ratio of a gzip file, once it has become larger than 8 MiB. Telemetry is compressed 10 to 50 times, and
 * the format allows 1,032 times.
 */
const MAX_RATIO = 200;
const RATIO_APPLIES_ABOVE = 8 * 1024 * 1024;

/** The file name for standard input. */
export const STDIN = "-";

/** The name of a file at the start of an error message. */
export function describeSource(source: string): string {
  return source === STDIN ? "Standard input" : source;
}

/** The bytes of a file or of standard input, decompressed if they are gzip. */
export function readBytes(source: string, io: Io): AsyncGenerator<Uint8Array> {
  return unzip(source === STDIN ? io.stdin.read() : openFile(resolve(io.cwd, source)), source);
}

/**
 * The error for a source that could not be read to its end: `incomplete` if it is damaged, `config` if it cannot be
 * opened, else the cause. `line` is the last line that was read.
 */
export function explainReadFailure(cause: unknown, source: string, line: number): unknown {
  if (cause instanceof CliError) return cause;
  const { code = "" } = cause as NodeJS.ErrnoException;
  if (code.startsWith("Z_")) {
    return fail("incomplete", {
      message: `${describeSource(source)} is a damaged gzip file: it ends unexpectedly after line ${line}`,
      hint: "Copy the file again and rerun the command.",
      cause,
    });
  }
  return code === "" || line > 0 ? cause : readError(source, cause);
}

/** The error for a source that cannot be opened. */
export function readError(source: string, cause: unknown): CliError {
  const name = source === STDIN ? "standard input" : source;
  return failToRead(name, "Check the path.", cause);
}

function openFile(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: 64 * 1024 });
}

/** The bytes, decompressed if they start with the magic number of gzip. Throws `incomplete` for a decompression bomb. */
async function* unzip(bytes: AsyncIterable<Uint8Array>, source: string): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let next = await iterator.next();
  while (!next.done && head.length < 2) {
    head = Buffer.concat([head, next.value]);
    next = await iterator.next();
  }
  let compressed = head.length;
  const rest = async function* () {
    yield head;
    for (; !next.done; next = await iterator.next()) {
      compressed += next.value.length;
      yield next.value;
    }
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
  let decompressed = 0;
  for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
    decompressed += chunk.length;
    if (decompressed > Math.max(RATIO_APPLIES_ABOVE, MAX_RATIO * compressed)) throw tooCompressed(source);
    yield chunk;
  }
  await flow;
}

function tooCompressed(source: string): CliError {
  return fail("incomplete", {
    message: `${describeSource(source)} decompresses to more than ${MAX_RATIO} times its size`,
    hint: "If you trust the file, decompress it with `gunzip` and rerun the command.",
  });
}
