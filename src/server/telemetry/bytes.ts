/** Reads and writes the primitives of the binary batch format: unsigned and signed varints, and text. */
import { DamagedData } from "../core/stored-data.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** The longest varint: 2^53 - 1 takes 8 bytes. */
const MAX_VARINT_BYTES = 8;

/** Writes to a buffer that doubles in size when it is full. */
export class ByteWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;

  /** Writes an integer from 0 to 2^53 - 1 as a little-endian base-128 varint (LEB128). */
  varint(value: number): void {
    this.#ensureCapacity(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Writes a safe integer as a zigzag-like varint: the sign is the lowest bit, so that small values of either sign are short. */
  signed(value: number): void {
    const amount = value < 0 ? -value - 1 : value;
    const sign = value < 0 ? 1 : 0;
    // Split before doubling, because twice a large amount is not a safe integer.
    const low = (amount % 0x40) * 2 + sign;
    if (amount < 0x40) {
      this.varint(low);
      return;
    }
    this.#ensureCapacity(1);
    this.#bytes[this.#length++] = low | 0x80;
    this.varint(Math.floor(amount / 0x40));
  }

  /** Writes text as its length in bytes and its UTF-8 bytes. */
  text(value: string): void {
    if (value.length < 0x80 && this.#writeAscii(value)) return;
    const bytes = encoder.encode(value);
    this.varint(bytes.length);
    this.#ensureCapacity(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Fast path for short ASCII text. Returns false, and writes nothing, if the text is not ASCII. */
  #writeAscii(value: string): boolean {
    this.#ensureCapacity(value.length + 1);
    const start = this.#length;
    this.#bytes[start] = value.length;
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) return false;
      this.#bytes[start + 1 + index] = code;
    }
    this.#length = start + 1 + value.length;
    return true;
  }

  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #ensureCapacity(additional: number): void {
    const required = this.#length + additional;
    if (required <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(required, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** Reads the output of a ByteWriter, in the same order. Throws DamagedData for anything that a ByteWriter cannot write. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The number of bytes that were not read yet. */
  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (let length = 0; length < MAX_VARINT_BYTES; length += 1) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80 && value <= Number.MAX_SAFE_INTEGER) return value;
      scale *= 0x80;
    }
    throw new DamagedData("A stored batch has a number that is too large");
  }

  signed(): number {
    const first = this.#byte();
    const low = (first & 0x7f) >> 1;
    const amount = first < 0x80 ? low : low + this.varint() * 0x40;
    return first % 2 === 1 ? -amount - 1 : amount;
  }

  /** Bytes that follow their length. */
  bytes(): Uint8Array {
    const length = this.varint();
    if (length > this.remaining) throw new DamagedData("A stored batch is truncated");
    const bytes = this.#bytes.subarray(this.#offset, this.#offset + length);
    this.#offset += length;
    return bytes;
  }

  text(): string {
    const bytes = this.bytes();
    try {
      return decoder.decode(bytes);
    } catch (cause) {
      throw new DamagedData("A stored batch has text that is not UTF-8", { cause });
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#offset++];
    if (byte === undefined) throw new DamagedData("A stored batch is truncated");
    return byte;
  }
}
