/** The hash table of event ids: it returns exactly the entries that were added, even while it grows. */
import { describe, expect, it } from "vitest";
import { hashId, IdTable } from "../../../src/server/telemetry/id-table.ts";

describe("a hash", () => {
  it("is a safe integer, and differs between similar ids", () => {
    const ids = Array.from({ length: 200_000 }, (_, n) => `e${n}`);
    const hashes = ids.map(hashId);
    expect(hashes.every((hash) => Number.isSafeInteger(hash) && hash >= 0)).toBe(true);
    expect(new Set(hashes).size).toBe(ids.length);
    expect(hashes.map((hash) => hash % 64).filter((low) => low === 5).length).toBeLessThan(4000);
  });

  it("is the same only for exactly the same text", () => {
    expect(hashId("🎮é")).toBe(hashId("🎮é"));
    expect(hashId("é")).not.toBe(hashId("e\u0301"));
  });
});

describe("a table", () => {
  it("returns the batch of each id that was added", () => {
    const table = new IdTable(hashId);
    for (let n = 0; n < 50_000; n += 1) expect(table.addNew(`e${n}`, n >> 9)).toEqual([]);
    for (let n = 0; n < 50_000; n += 1) expect(table.addNew(`e${n}`, 999)).toEqual([n >> 9]);
    expect(table.addNew("other", 999)).toEqual([]);
  });

  it("returns all batches with an id that has the same hash", () => {
    const table = new IdTable(() => 2 ** 53 - 1);
    expect(table.addNew("a", 0)).toEqual([]);
    table.add("b", 3);
    for (let n = 0; n < 100; n += 1) table.add(`c${n}`, 4);
    expect(table.addNew("d", 5).toSorted()).toEqual([0, 3, ...Array(100).fill(4)]);
  });

  it("uses 16 to 32 bytes per id after it has grown", () => {
    const table = new IdTable(hashId);
    for (let n = 0; n < 100_000; n += 1) {
      table.add(`e${n}`, 0);
      if (n > 1000) expect(table.bytes / n).toBeLessThanOrEqual(33);
    }
    expect(table.bytes / 100_000).toBeGreaterThan(12);
  });
});
