/** Properties of the statistics behind funnels, against naive computations. */
import { describe, expect, test } from "vitest";
import { advance, countFunnel, parseSteps, type StepTimes } from "../../../src/server/analytics/funnel.ts";
import fc from "../../property.ts";

const names = ["a", "b", "c"];
const event = fc.record({ name: fc.constantFrom(...names), gap: fc.integer({ min: 0, max: 3 }) });

/** The events of one session with times that never fall. */
function toEvents(drawn: readonly { readonly name: string; readonly gap: number }[]) {
  let timestamp = 0;
  return drawn.map(({ name, gap }) => {
    timestamp += gap * 1000;
    return { name, timestamp, entered: null };
  });
}

/** The largest number of steps that any choice of events reaches in order. */
function countReachable(events: readonly { readonly name: string }[], steps: readonly string[]): number {
  if (steps.length === 0) return 0;
  const [step, ...rest] = steps;
  const reached = events.flatMap(({ name }, at) =>
    name === step ? [1 + countReachable(events.slice(at + 1), rest)] : [],
  );
  return Math.max(0, ...reached);
}

describe("a funnel", () => {
  test("reaches as many steps as any choice of events", () => {
    const property = fc.property(
      fc.array(event, { maxLength: 12 }),
      fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
      (drawn, steps) => {
        const events = toEvents(drawn);
        const reached: StepTimes = [];
        advance(reached, parseSteps(steps.join(",")), events, 0);
        expect(reached.length).toBe(countReachable(events, steps));
        expect(reached).toEqual([...reached].sort((x, y) => x - y));
      },
    );
    fc.assert(property);
  });

  test("loses testers from step to step, and never gains any", () => {
    const property = fc.property(fc.array(fc.array(fc.nat(1000), { maxLength: 3 })), (progress) => {
      const { steps, testers } = countFunnel(null, parseSteps("a,b,c"), progress);
      const counts = steps.map((step) => step.testers);
      expect(counts).toEqual([1, 2, 3].map((n) => progress.filter(({ length }) => length >= n).length));
      expect(testers).toBe(progress.length);
      expect(steps.reduce((sum, { lost }) => sum + lost, 0)).toBe((counts[0] ?? 0) - (counts[2] ?? 0));
    });
    fc.assert(property);
  });

  test("starts with an escaped comma or a room", () => {
    expect(parseSteps("a\\,b, room:the hall").map(({ kind, name }) => [kind, name])).toEqual([
      ["event", "a,b"],
      ["room", "the hall"],
    ]);
  });
});
