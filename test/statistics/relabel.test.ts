/** Sets of records, which `testFamilies` counts millions of times. */
import { expect, it } from "vitest";
import { createRandom } from "../../src/statistics/random.ts";
import {
  addRecord,
  countCommon,
  createCounters,
  createDealer,
  createRecords,
  hasRecord,
} from "../../src/statistics/relabel.ts";

it("counts the records that are in both sets, in sets of every length", () => {
  const random = createRandom(3);
  for (let length = 0; length < 600; length += 7) {
    const sizes = { onlyA: length, onlyB: 0, both: 0 };
    const [one, other] = [createRecords(sizes), createRecords(sizes)];
    let common = 0;
    for (let at = 0; at < length; at += 1) {
      if (random() < 0.7) addRecord(one, at);
      if (random() < 0.7) addRecord(other, at);
      if (hasRecord(one, at) && hasRecord(other, at)) common += 1;
    }
    expect([length, countCommon(one, other)]).toEqual([length, common]);
  }
});

it("counts sets of few and of many records in each division, also if sets are equal", () => {
  const sizes = { onlyA: 200, onlyB: 300, both: 50 };
  const createSet = (step: number) => {
    const set = createRecords(sizes);
    for (let at = 0; at < 600; at += step) addRecord(set, at);
    return set;
  };
  const counterOf = createCounters();
  // 3, 9 and 300 records in 19 words.
  const sets = [200, 70, 2, 2].map(createSet);
  const counters = sets.map(counterOf);
  expect(counters[3]).toBe(counters[2]);
  const deal = createDealer(sizes, createRandom(5));
  for (let run = 0; run < 50; run += 1) {
    const division = deal();
    expect(counters.map((count) => count(division))).toEqual(
      sets.map((set) => countCommon(set, division.recordsOfB)),
    );
  }
});
