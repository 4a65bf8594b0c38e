/** Properties of the statistics behind funnels and drop-off, against naive computations. */
import { describe, expect, test } from "vitest";
import { countDropoff, type EndedSession, testRooms } from "../../../src/server/analytics/dropoff.ts";
import { advance, countFunnel, parseSteps, type StepTimes } from "../../../src/server/analytics/funnel.ts";
import { fisherPValue } from "../../../src/statistics/fisher.ts";
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

const rooms = ["hall", "pit", "attic"];
const ended = fc
  .record({
    entered: fc.subarray(rooms, { minLength: 1 }),
    last: fc.nat(2),
    outcome: fc.constantFrom("quit" as const, "completed" as const, "crashed" as const),
    device: fc.option(fc.constantFrom("d1", "d2", "d3", "d4")),
  })
  .map(({ entered, last, outcome, device }): Omit<EndedSession, "recordedAt"> => {
    const room = entered[last % entered.length] ?? null;
    return { room, outcome, entered, activeMs: 1000, lastEvent: "jump", deviceId: device };
  });

describe("the drop-off", () => {
  test("counts every session in one room, as a count over raw sessions does", () => {
    const property = fc.property(fc.array(ended, { maxLength: 30 }), (drawn) => {
      const sessions = drawn.map((session, at): EndedSession => ({ ...session, recordedAt: at }));
      const lastPlayed = new Map(
        sessions.flatMap((s) => (s.deviceId === null ? [] : [[s.deviceId, s.recordedAt]])),
      );
      const found = countDropoff(sessions, lastPlayed);
      expect(found.reduce((sum, { sessionsEnded }) => sum + sessionsEnded, 0)).toBe(sessions.length);
      for (const { room, quit, sessionsEntered, testersQuit, testersNotBack } of found) {
        const quits = sessions.filter((s) => s.room === room && s.outcome === "quit");
        expect(quit).toBe(quits.length);
        expect(sessionsEntered).toBe(sessions.filter((s) => s.entered.includes(room ?? "")).length);
        const devices = new Set(quits.flatMap((s) => s.deviceId ?? []));
        expect(testersQuit).toBe(devices.size);
        const gone = [...devices].filter((device) => {
          const last = sessions.findLast((s) => s.deviceId === device);
          return last?.room === room && last?.outcome === "quit";
        });
        expect(testersNotBack).toBe(gone.length);
      }
    });
    fc.assert(property);
  });

  test("tests each room with at least 5 testers against the others", () => {
    const sessions = Array.from({ length: 12 }, (_, at) => ({
      ...{ entered: at < 10 ? ["hall", "pit"] : ["hall"], activeMs: 0, lastEvent: null },
      ...{ room: at < 10 ? "pit" : "hall", outcome: at < 8 ? ("quit" as const) : ("completed" as const) },
    }));
    const tests = testRooms(sessions);
    const counts = { testersA: 0, totalA: 12, testersB: 8, totalB: 10 };
    // The hall can only produce p-values above this one, so the correction adds nothing for it.
    expect(tests.get("pit")?.adjustedP).toBeCloseTo(fisherPValue(counts), 10);
    expect(tests.get("hall")).toMatchObject({ testersEntered: 12, testersQuit: 0, adjustedP: 1 });
    expect(testRooms(sessions.slice(0, 4)).size).toBe(0);
  });
});
