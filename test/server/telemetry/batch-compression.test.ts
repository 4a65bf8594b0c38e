/** The compression of stored batches: nothing is lost, damage is reported, and batches of earlier versions are read. */
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { DamagedData } from "../../../src/server/core/stored-data.ts";
import { decodeIds, encodeBatch } from "../../../src/server/telemetry/batch-codec.ts";
import {
  compressPayload,
  decompressPayload,
  measurePayload,
} from "../../../src/server/telemetry/batch-compression.ts";
import { ByteWriter } from "../../../src/server/telemetry/bytes.ts";
import fc from "../../property.ts";

const MAX = 2 ** 20;
const ids = Array.from({ length: 300 }, (_, n) => `id-${n * 7919}`);
const { payload: encoded, event_count } = encodeBatch(
  ids.map((id, n) => ({ id, name: "door_opened", timestamp: 1.7e12 + n * 250, data: { room: "hall", n } })),
);

/** A compressed payload that declares another size than it has. */
function declare(length: number, bytes: Uint8Array): Uint8Array {
  const writer = new ByteWriter();
  for (const number of [0, 1, length]) writer.varint(number);
  return Buffer.concat([writer.toBytes(), bytes]);
}

describe("a compressed payload", () => {
  it("decompresses to the same bytes", () => {
    const start = fc.integer({ min: 1, max: 255 });
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 40 }), fc.nat(200), (first, part, repeats) => {
        const bytes = Buffer.concat([
          Uint8Array.of(first),
          ...Array.from({ length: repeats + 1 }, () => part),
        ]);
        const stored = compressPayload(bytes);
        expect(Buffer.compare(decompressPayload(stored, MAX), bytes)).toBe(0);
        expect(measurePayload(stored)).toBe(bytes.length);
        expect(stored.length).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });

  it("takes less than half of the bytes of a usual batch", () => {
    expect(compressPayload(encoded).length).toBeLessThan(encoded.length / 2);
  });

  it("is reported as damaged after any change of a byte that changes what it contains", () => {
    const stored = compressPayload(encoded);
    for (let at = 2; at < stored.length; at += 1) {
      const changed = Uint8Array.from(stored);
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      try {
        // Some bits describe codes that the data does not use.
        expect(Buffer.compare(decompressPayload(changed, MAX), encoded), `byte ${at}`).toBe(0);
      } catch (error) {
        expect(error).toBeInstanceOf(DamagedData);
      }
    }
  });

  it("is reported as damaged if it is truncated or has more bytes at its end", () => {
    const stored = compressPayload(encoded);
    for (let length = 2; length < stored.length; length += 7)
      expect(() => decompressPayload(stored.slice(0, length), MAX)).toThrow(DamagedData);
    expect(() => decompressPayload(Buffer.concat([stored, Uint8Array.of(0)]), MAX)).toThrow(DamagedData);
  });

  it("cannot fill the memory: neither its declared nor its real size may exceed the maximum", () => {
    const bomb = deflateSync(Buffer.alloc(16 * MAX));
    expect(() => decompressPayload(declare(16 * MAX, bomb), MAX)).toThrow("too large");
    expect(() => decompressPayload(declare(MAX, bomb), MAX)).toThrow("cannot be decompressed");
    expect(() => decompressPayload(declare(MAX, deflateSync(Buffer.alloc(5))), MAX)).toThrow("the size");
  });
});

describe("a stored batch", () => {
  it("is read with and without compression, as earlier versions have stored it", () => {
    expect(decodeIds({ payload: encoded, event_count })).toEqual(ids);
    expect(decodeIds({ payload: compressPayload(encoded), event_count })).toEqual(ids);
  });

  it("counts its decompressed size, even if it is damaged", () => {
    expect(measurePayload(encoded)).toBe(encoded.length);
    expect(measurePayload(compressPayload(encoded))).toBe(encoded.length);
    expect(measurePayload(Uint8Array.of(0, 1))).toBe(2);
  });
});
