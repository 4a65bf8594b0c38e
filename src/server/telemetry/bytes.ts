/** Reads and writes the small binary formats of stored batches: varints, front-coded words and float64 columns. */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Appends to a buffer that grows by doubling. */
export class ByteWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;

  /** An integer from 0 to 2^53 - 1, seven bits a byte, the low ones first. */
  varint(value: number): void {
    this.#room(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** A safe integer of either sign, small in size when small in amount: the sign is the lowest bit. */
  signed(value: number): void {
    const amount = value < 0 ? -value - 1 : value;
    const sign = value < 0 ? 1 : 0;
    // Split before doubling: twice the largest amounts is beyond what a double counts exactly.
    const low = (amount % 0x40) * 2 + sign;
    if (amount < 0x40) {
      this.varint(low);
      return;
    }
    this.#room(1);
    this.#bytes[this.#length++] = low | 0x80;
    this.varint(Math.floor(amount / 0x40));
  }

  /** UTF-8 text behind its length in bytes. */
  text(value: string): void {
    if (value.length < 0x80 && this.#ascii(value)) return;
    const bytes = encoder.encode(value);
    this.varint(bytes.length);
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Short ASCII text without the encoder; false (and nothing written) where it is not ASCII. */
  #ascii(value: string): boolean {
    this.#room(value.length + 1);
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

  #room(more: number): void {
    const wanted = this.#length + more;
    if (wanted <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(wanted, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** Reads what a ByteWriter wrote, in the same order. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("A stored batch ends too early");
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }

  signed(): number {
    const first = this.#bytes[this.#at++];
    if (first === undefined) throw new RangeError("A stored batch ends too early");
    const low = (first & 0x7f) >> 1;
    const amount = first < 0x80 ? low : low + this.varint() * 0x40;
    return first % 2 === 1 ? -amount - 1 : amount;
  }

  text(): string {
    const length = this.varint();
    const text = decoder.decode(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return text;
  }
}
