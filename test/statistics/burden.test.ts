import { describe, expect, it } from "vitest";
import { testOthersMore } from "../../src/statistics/burden.ts";
import { createRandom } from "../../src/statistics/random.ts";

const sizes = { onlyA: 20, onlyB: 20, both: 20 };

/** The p-value if testers in both groups, and the others of b, have this much more of 10 outcomes than in a. */
function testAtRandom(random: () => number, moreOfSame: number, moreOfOthers: number): number {
  const draw = (extra: number) => Number(random() < 0.2 + extra);
  const rows = Array.from({ length: 10 }, () => [
    ...Array.from({ length: 20 }, () => draw(0)),
    ...Array.from({ length: 20 }, () => draw(moreOfOthers)),
    ...Array.from({ length: 20 }, () => [draw(0), draw(moreOfSame)]).flat(),
  ]);
  return testOthersMore(sizes, rows);
}

describe("the test of who is in the groups", () => {
  const random = createRandom(6);
  const share = (moreOfSame: number, moreOfOthers: number) =>
    Array.from({ length: 200 }).filter(() => testAtRandom(random, moreOfSame, moreOfOthers) <= 0.1).length /
    200;

  it("finds others who differ, and not a build that is worse for all", () => {
    expect(share(0, 0.2)).toBeGreaterThan(0.8);
    // Outside of this, 10% would be outside of the 99.9% range of 200 runs.
    expect(share(0, 0)).toBeLessThan(0.18);
    expect(share(0.2, 0.2)).toBeLessThan(0.18);
  });

  it("finds nothing without testers in both groups, or in one only", () => {
    const values = Array.from({ length: 20 }, (_, at) => at % 2);
    expect(testOthersMore({ onlyA: 10, onlyB: 10, both: 0 }, [values])).toBe(1);
    expect(testOthersMore({ onlyA: 0, onlyB: 0, both: 10 }, [values])).toBe(1);
    expect(testOthersMore({ onlyA: 4, onlyB: 4, both: 6 }, [])).toBe(1);
  });
});
