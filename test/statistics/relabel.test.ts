/** Sets of records, which `testFamilies` counts millions of times. */
import { expect, it } from "vitest";
import { createRandom } from "../../src/statistics/random.ts";
import { addRecord, countCommon, createRecords, hasRecord } from "../../src/statistics/relabel.ts";

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
