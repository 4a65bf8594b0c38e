/**
 * Compresses the payloads of stored batches with zlib. Rows of earlier versions are not compressed and remain readable: an
 * encoded batch begins with the number of its events, and any other form with a 0.
 */
import { deflateSync, type Inflate, inflateSync } from "node:zlib";
import { DamagedData } from "../core/stored-data.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";

/** The first byte of a payload that is not just encoded. The second one says what it is. */
export const MARK = 0;
/**
 * The second byte: a compressed batch, a reference to a block, or a block (`batch-blocks.ts`). It is not 2, because an encoded
 * batch without events begins with 0 and 2.
 */
const COMPRESSED = 1;
export const REFERENCE = 3;
export const BLOCK = 4;

/**
 * Ingest waits for the compression. Level 6 makes payloads up to 15 % smaller. It takes up to 4 times as long for large ones, and
 * no longer for small ones, where most of the work is to create a stream.
 */
const LEVELS = { small: 6, large: 1 } as const;
/** The largest encoded payload that counts as small: about 100 events, bytes. */
const MAX_SMALL_BYTES = 4096;

/** Whether a payload of this encoded size is compressed as well as it can be on its own. */
export const isSmallPayload = (bytes: number): boolean => bytes <= MAX_SMALL_BYTES;

/** The encoded payloads of compressed ones. Most readers decode several parts of a batch, one after another. */
const decompressed = new WeakMap<Uint8Array, Uint8Array>();

/** Returns an encoded payload as it is stored: compressed, unless that would not make it smaller. */
export function compressPayload(encoded: Uint8Array): Uint8Array {
  const compressed = deflateSync(encoded, {
    level: LEVELS[isSmallPayload(encoded.length) ? "small" : "large"],
  });
  const writer = new ByteWriter();
  for (const number of [MARK, COMPRESSED, encoded.length]) writer.varint(number);
  const head = writer.toBytes();
  return head.length + compressed.length < encoded.length ? Buffer.concat([head, compressed]) : encoded;
}

/** Returns the encoded form of a stored payload. Throws DamagedData if it is damaged, or has more than `max` bytes. */
export function decompressPayload(stored: Uint8Array, max: number): Uint8Array {
  if (isReference(stored) || isBlock(stored))
    throw new DamagedData("A stored batch is in a block that cannot be read");
  if (!isCompressed(stored)) return stored;
  const known = decompressed.get(stored);
  if (known) return known;
  const encoded = inflatePayload(stored, max);
  decompressed.set(stored, encoded);
  return encoded;
}

/** The size of the encoded form of a stored payload, in bytes. Does not decompress it. */
export function measurePayload(stored: Uint8Array): number {
  if (!isCompressed(stored)) return stored.length;
  try {
    return readHead(stored).length;
  } catch (error) {
    if (error instanceof DamagedData) return stored.length;
    throw error;
  }
}

const isCompressed = (stored: Uint8Array) => stored[0] === MARK && stored[1] === COMPRESSED;
export const isReference = (stored: Uint8Array) => stored[0] === MARK && stored[1] === REFERENCE;
export const isBlock = (stored: Uint8Array) => stored[0] === MARK && stored[1] === BLOCK;

function readHead(stored: Uint8Array): { length: number; bytes: Uint8Array } {
  const reader = new ByteReader(stored.subarray(2));
  const length = reader.varint();
  return { length, bytes: stored.subarray(stored.length - reader.remaining) };
}

/** Decompresses what follows the mark and the size. Throws DamagedData if it is damaged, or has more than `max` bytes. */
export function inflatePayload(stored: Uint8Array, max: number): Uint8Array {
  const { length, bytes } = readHead(stored);
  if (length > max) throw new DamagedData("A stored batch is too large");
  // One byte more than expected, so that zlib finds the end of the data in its first buffer.
  const options = {
    maxOutputLength: length + 1,
    chunkSize: Math.max(MIN_CHUNK_BYTES, length + 1),
    info: true,
  };
  let result: { readonly buffer: Uint8Array; readonly engine: Inflate };
  try {
    // The types of Node do not include the option `info`.
    const inflated: unknown = inflateSync(bytes, options);
    result = inflated as typeof result;
  } catch (cause) {
    throw new DamagedData("A stored batch cannot be decompressed", { cause });
  }
  if (result.buffer.length !== length || result.engine.bytesWritten !== bytes.length)
    throw new DamagedData("A stored batch does not have the size that it declares");
  return result.buffer;
}

/** The smallest buffer that zlib accepts. */
const MIN_CHUNK_BYTES = 64;
