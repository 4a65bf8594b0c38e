/** Blocks of event counts return what was stored, and damaged blocks are recognized. */
import { expect, it } from "vitest";
import { DamagedData } from "../../../src/server/core/stored-data.ts";
import {
  type DayCount,
  encodeBlock,
  listBlockDays,
  listDayCounts,
  sumByName,
  toBlockNumber,
} from "../../../src/server/sessions/event-block.ts";
import fc from "../../property.ts";

const BLOCK = 641;
const { first, last } = listBlockDays(BLOCK);
const counts: fc.Arbitrary<DayCount[]> = fc.array(
  fc.record({
    name: fc.constantFrom("a", "b", "__proto__", 'say "hi"', "\u0000", "é"),
    day: fc.integer({ min: first, max: last }),
    count: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: 0, max: 2 ** 50 })),
  }),
  { maxLength: 40 },
);

const toTotals = (listed: readonly DayCount[]) => {
  const totals = new Map<string, number>();
  for (const { name, day, count } of listed) {
    const key = JSON.stringify([name, day]);
    totals.set(key, (totals.get(key) ?? 0) + count);
  }
  return new Map([...totals].filter(([, total]) => total !== 0));
};

it("a block returns the sum of what was added, by day and by range", () => {
  fc.assert(
    fc.property(counts, fc.integer({ min: -2, max: 33 }), fc.integer({ min: -2, max: 33 }), (added, a, b) => {
      const block = encodeBlock(BLOCK, added);
      const expected = toTotals(added);
      expect(block === null).toBe(expected.size === 0);
      if (block === null) return;
      expect(toTotals(listDayCounts(block))).toEqual(expected);
      expect(new Set(listDayCounts(block).map(({ name }) => name))).toEqual(new Set(JSON.parse(block.names)));
      const days = { first: first + Math.min(a, b), last: first + Math.max(a, b) };
      const inRange = listDayCounts(block).filter(({ day }) => day >= days.first && day <= days.last);
      expect(listDayCounts(block, days)).toEqual(inRange);
      for (const [name, sum] of sumByName(block, days)) {
        const own = inRange.filter((entry) => entry.name === name);
        expect(sum).toBe(own.reduce((total, { count }) => total + count, 0));
      }
    }),
  );
});

it("each day belongs to one block, also before 1970", () => {
  for (let day = -70; day < 70; day += 1) {
    const days = listBlockDays(toBlockNumber(day));
    expect([days.first <= day, day <= days.last]).toEqual([true, true]);
  }
});

it("reads a block whose bytes are not aligned", () => {
  const block = encodeBlock(BLOCK, [{ name: "jump", day: first, count: 7 }]);
  const bytes = new Uint8Array([0, ...(block?.counts ?? [])]).subarray(1);
  expect(listDayCounts({ block: BLOCK, names: '["jump"]', counts: bytes })).toEqual([
    { name: "jump", day: first, count: 7 },
  ]);
});

const pairs = (...values: number[]) => new Uint8Array(Float64Array.from(values).buffer);
it.each([
  ["names that are not JSON", "[", pairs(0, 1)],
  ["names that are not a list", "{}", pairs(0, 1)],
  ["half a count", '["a"]', pairs(0)],
  ["a place after the last name", '["a"]', pairs(32, 1)],
  ["a negative place", '["a"]', pairs(-1, 1)],
  ["a place that is not a number", '["a"]', pairs(Number.NaN, 1)],
])("refuses %s", (_what, names, stored) => {
  expect(() => listDayCounts({ block: BLOCK, names, counts: stored })).toThrow(DamagedData);
  expect(() => sumByName({ block: BLOCK, names, counts: stored }, { first, last })).toThrow(DamagedData);
});
