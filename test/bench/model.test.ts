/** The cost model of the capacity benchmark. */
import { expect, test } from "vitest";
import {
  fitLine,
  fitUnitCosts,
  predictCost,
  type UnitCosts,
  type Workload,
} from "../../bench/capacity/model.ts";

const workloads: Workload[] = [
  { sessions: 600, requests: 600, events: 3000, positions: 0 },
  { sessions: 40, requests: 2400, events: 24_000, positions: 0 },
  { sessions: 40, requests: 400, events: 200_000, positions: 0 },
  { sessions: 40, requests: 400, events: 40, positions: 199_960 },
  { sessions: 100, requests: 500, events: 30_000, positions: 45_000 },
];
const measure = (costs: UnitCosts) =>
  workloads.map((workload) => ({ workload, cost: predictCost(costs, workload) }));

test("finds the unit costs of exact measurements", () => {
  const costs = { sessions: 2, requests: 0.3, events: 0.004, positions: 0.002 };
  const fitted = fitUnitCosts(measure(costs));
  for (const [name, cost] of Object.entries(costs))
    expect(fitted[name as keyof UnitCosts]).toBeCloseTo(cost, 9);
});

test("has no negative unit costs", () => {
  const fitted = fitUnitCosts(measure({ sessions: 2, requests: -0.1, events: 0.004, positions: 0.002 }));
  expect(fitted.requests).toBe(0);
  expect(Object.values(fitted).every((cost) => cost >= 0)).toBe(true);
});

test("throws if the workloads do not determine the unit costs", () => {
  const points = measure({ sessions: 1, requests: 1, events: 1, positions: 1 }).slice(0, 1);
  expect(() => fitUnitCosts([...points, ...points, ...points, ...points])).toThrow("do not determine");
});

test("fits a line", () => {
  const { fixed, perUnit } = fitLine([10, 100, 1000].map((size) => [size, 5 + 0.01 * size]));
  expect(fixed).toBeCloseTo(5, 9);
  expect(perUnit).toBeCloseTo(0.01, 9);
});
