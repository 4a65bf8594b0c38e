import { describe, expect, it } from "vitest";
import { runSteps, runStepsInTurns, type Steps } from "../../src/statistics/steps.ts";

function* count(steps: number): Steps<number> {
  for (let at = 0; at < steps; at += 1) {
    const end = performance.now() + 1;
    while (performance.now() < end);
    yield;
  }
  return steps;
}

describe("steps", () => {
  it("have the same result at once and in turns", async () => {
    expect(runSteps(count(40))).toBe(40);
    let turns = 0;
    const nextTurn = async () => {
      turns += 1;
    };
    expect(await runStepsInTurns(count(40), nextTurn)).toBe(40);
    expect(turns).toBeGreaterThan(1);
  });
});
