/**
 * Blocks of batches: after the analysis of a session, its batches are compressed together, which takes half of the space or less.
 * The row of the first batch then contains the block, and those of the others refer to it. Rows and their numbers remain, so
 * that cursors and positions stay valid.
 */
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { DamagedData } from "../core/stored-data.ts";
import { MAX_PAYLOAD_BYTES, type StoredBatch } from "./batch-codec.ts";
import {
  BLOCK,
  decompressPayload,
  inflatePayload,
  isBlock,
  isReference,
  isSmallPayload,
  MARK,
  measurePayload,
  REFERENCE,
} from "./batch-compression.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";

/** The most bytes of a block before compression, unless its only batch has more. zlib looks back 32 kB. */
const MAX_BLOCK_BYTES = 128 * 1024;
/** The most batches of a block. */
const MAX_BLOCK_BATCHES = 64;
/** The most bytes of a block that is read, which may come from an archive. */
const MAX_READ_BYTES = MAX_PAYLOAD_BYTES + MAX_BLOCK_BYTES;

/** A compression that does not block the thread. The level is the default of zlib: higher ones hardly save anything. */
const deflateInPool = promisify(deflate) as (
  bytes: Uint8Array,
  options: { level: number },
) => Promise<Buffer>;
const LEVEL = 6;

/** A row of a batch, with its number in its session. */
export type NumberedBatch = StoredBatch & { readonly seq: number };

/**
 * Divides the batches of a session into groups, each of which becomes a block. Batches that are in a block are left out, and so are
 * small ones that would have one of their own.
 */
export function groupBatches<B extends NumberedBatch>(batches: readonly B[]): B[][] {
  const groups: B[][] = [];
  let [group, bytes]: [B[], number] = [[], 0];
  const close = () => {
    if (group.length > 1 || !isSmallPayload(bytes)) groups.push(group);
    [group, bytes] = [[], 0];
  };
  for (const batch of batches) {
    if (isBlock(batch.payload) || isReference(batch.payload)) {
      close();
      continue;
    }
    const length = measurePayload(batch.payload);
    const isFull = bytes + length > MAX_BLOCK_BYTES || group.length >= MAX_BLOCK_BATCHES;
    if (isFull || batch.seq !== (group.at(-1)?.seq ?? batch.seq - 1) + 1) close();
    group.push(batch);
    bytes += length;
  }
  close();
  return groups;
}

/** Compresses the payloads of batches to a block. */
export async function createBlock(batches: readonly StoredBatch[]): Promise<Uint8Array> {
  const parts = batches.flatMap(({ payload }) => {
    const encoded = decompressPayload(payload, MAX_PAYLOAD_BYTES);
    const length = new ByteWriter();
    length.varint(encoded.length);
    return [length.toBytes(), encoded];
  });
  const bytes = Buffer.concat(parts);
  const head = new ByteWriter();
  for (const number of [MARK, BLOCK, bytes.length]) head.varint(number);
  return Buffer.concat([head.toBytes(), await deflateInPool(bytes, { level: LEVEL })]);
}

/** The payload of a batch that is in the block of an earlier one. */
export function createReference(first: number): Uint8Array {
  const writer = new ByteWriter();
  for (const number of [MARK, REFERENCE, first]) writer.varint(number);
  return writer.toBytes();
}

/** The number of the batch whose row contains the block of this one: itself, an earlier one, or null without a block. */
export function findBlock({ payload, seq }: NumberedBatch): number | null {
  if (isBlock(payload)) return seq;
  if (!isReference(payload)) return null;
  try {
    return new ByteReader(payload.subarray(2)).varint();
  } catch (error) {
    if (error instanceof DamagedData) return null;
    throw error;
  }
}

/** The encoded payloads in a block, in the order of their batches. None if the block is damaged. */
export function readBlock(payload: Uint8Array): readonly Uint8Array[] {
  const payloads: Uint8Array[] = [];
  try {
    if (!isBlock(payload)) return [];
    const bytes = inflatePayload(payload, MAX_READ_BYTES);
    const reader = new ByteReader(bytes);
    while (reader.remaining > 0) payloads.push(reader.bytes());
    return payloads;
  } catch (error) {
    if (error instanceof DamagedData) return [];
    throw error;
  }
}
