/** Axis labels: round numbers within the bounds. */

import { describe, expect, it } from "vitest";
import { roundTicks } from "../../src/render/ticks.ts";
import fc from "../property.ts";

describe("roundTicks", () => {
  it.each([
    [0, 1920, 6, ["0", "500", "1000", "1500"]],
    [-540, 540, 6, ["-400", "-200", "0", "200", "400"]],
    [0, 1, 5, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]],
    [-0.004, 0.004, 4, ["-0.004", "-0.002", "0.000", "0.002", "0.004"]],
    [0, 0.3, 3, ["0.0", "0.1", "0.2", "0.3"]],
    [3, 3, 5, ["3"]],
    [1e12, 2e12, 2, ["1000000000000", "1500000000000", "2000000000000"]],
    [-1e308, 1e308, 5, ["-1e+308", "1e+308"]],
    [-1.7976e308, 1.7976e308, 5, ["-1.798e+308", "1.798e+308"]],
    [1e9, 1e9 + 1e-7, 3, ["1000000000", "1000000000"]],
  ])("%d to %d in %d", (min, max, count, labels) => {
    expect(roundTicks(min, max, count).map((tick) => tick.label)).toEqual(labels);
  });

  it("stays within the bounds and close to the count", () => {
    const value = fc.integer({ min: -100_000, max: 100_000 });
    fc.assert(
      fc.property(
        value,
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 12 }),
        (min, span, count) => {
          const ticks = roundTicks(min, min + span, count);
          expect(ticks.length).toBeLessThanOrEqual(count + 1);
          for (const tick of ticks) {
            expect(tick.value).toBeGreaterThanOrEqual(min - 1e-6);
            expect(tick.value).toBeLessThanOrEqual(min + span + 1e-6);
            expect(Number(tick.label)).toBeCloseTo(tick.value, 6);
          }
        },
      ),
    );
  });
});
