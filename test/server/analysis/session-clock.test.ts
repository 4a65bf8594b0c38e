/** Clocks that jump while a session is played, as the rules see them. */
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/server/analysis/recorded-session.ts";
import { repairClock } from "../../../src/server/analysis/session-clock.ts";
import fc from "../../property.ts";
import { createEvents, START, type Step } from "./recorded-sessions.ts";

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/** One batch: when it arrived, in seconds since the start, and its events. */
type SentBatch = readonly [receivedAt: number, steps: readonly Step[]];

const repair = (...batches: readonly SentBatch[]) =>
  repairClock(batches.map(([at, steps]) => ({ receivedAt: START + at * 1000, events: createEvents(steps) })));

/** The names of events with their repaired seconds since the start. */
const toSteps = (events: readonly SessionEvent[]) =>
  events.map(({ name, timestamp }) => [(timestamp - START) / 1000, name]);

describe("a clock that jumps", () => {
  it("does not change a session whose steps are at most as long as the idle timeout", () => {
    const steps: Step[] = [
      [0, "a"],
      [30 * MINUTE, "b"],
      [60 * MINUTE, "c"],
    ];
    const { events, sent, jumps, jumpMs, snapshot } = repair([60 * MINUTE, steps]);
    expect({ jumps, jumpMs, snapshot }).toEqual({ jumps: 0, jumpMs: 0, snapshot: null });
    expect(events).toEqual(sent);
    expect(toSteps(events)).toEqual(steps);
  });

  it("forwards adds no time", () => {
    const { events, jumps, jumpMs } = repair(
      [
        10,
        [
          [0, "a"],
          [10, "b"],
        ],
      ],
      [
        20,
        [
          [30 * DAY, "c"],
          [30 * DAY + 10, "d"],
        ],
      ],
    );
    expect(toSteps(events)).toEqual([
      [0, "a"],
      [10, "b"],
      [10, "c"],
      [20, "d"],
    ]);
    expect({ jumps, jumpMs }).toEqual({ jumps: 1, jumpMs: (30 * DAY - 10) * 1000 });
  });

  it("forwards and back keeps the order of the play", () => {
    const { events, sent, jumps } = repair(
      [
        10,
        [
          [0, "a"],
          [10, "b"],
        ],
      ],
      [
        30,
        [
          [30 * DAY, "c"],
          [30 * DAY + 10, "d"],
        ],
      ],
      [
        50,
        [
          [40, "e"],
          [50, "f"],
        ],
      ],
    );
    expect(toSteps(events)).toEqual([
      [0, "a"],
      [10, "b"],
      [10, "c"],
      [20, "d"],
      [20, "e"],
      [30, "f"],
    ]);
    expect(sent.map(({ name }) => name).join("")).toBe("abcdef");
    expect(sent.at(-1)?.timestamp).toBe(START + 50_000);
    expect(jumps).toBe(2);
  });

  it("back within a batch keeps the order of the play", () => {
    const { events, jumps } = repair([
      20,
      [
        [0, "a"],
        [10, "b"],
        [-120 * MINUTE, "c"],
        [-120 * MINUTE + 5, "d"],
      ],
    ]);
    expect(toSteps(events)).toEqual([
      [0, "a"],
      [10, "b"],
      [10, "c"],
      [15, "d"],
    ]);
    expect(jumps).toBe(1);
  });
});

describe("events in another order", () => {
  it("does not seem set back by an offline session of which the end arrives first", () => {
    const [hour, arrival] = [60 * MINUTE, 4 * 60 * MINUTE];
    const { events, jumps } = repair(
      [arrival, [[0, "a"]]],
      [arrival + 1, [[3 * hour, "d"]]],
      [
        arrival + 9,
        [
          [hour, "b"],
          [2 * hour, "c"],
        ],
      ],
    );
    expect(events.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
    // The steps of an hour are idle time.
    expect(jumps).toBe(3);
  });

  it("does not seem set back by events of a request that are grouped by their kind", () => {
    const half = 25 * MINUTE;
    const { events, jumps, jumpMs } = repair([
      4 * half,
      [
        [0, "pos"],
        [half, "pos"],
        [2 * half, "pos"],
        [10, "death"],
        [half + 10, "death"],
      ],
    ]);
    expect(toSteps(events)).toEqual([
      [0, "pos"],
      [10, "death"],
      [half, "pos"],
      [half + 10, "death"],
      [2 * half, "pos"],
    ]);
    expect([jumps, jumpMs]).toEqual([0, 0]);
  });

  it("and was set back a year reports how much shorter the session is", () => {
    const year = 365 * DAY;
    const steps: Step[] = [
      [0, "a"],
      [10 * MINUTE, "b"],
      [-year, "c"],
      [-year + 5 * MINUTE, "d"],
    ];
    const { events, jumpMs } = repair([20 * MINUTE, steps]);
    const [first, last] = [toSteps(events)[0]?.[0], toSteps(events).at(-1)?.[0]];
    expect(jumpMs / 1000).toBe(year + 10 * MINUTE - (Number(last) - Number(first)));
  });

  it("of a late batch are sorted by their times", () => {
    const { events, jumps } = repair(
      [
        20,
        [
          [0, "a"],
          [20 * MINUTE, "b"],
        ],
      ],
      [
        55 * MINUTE,
        [
          [40 * MINUTE, "d"],
          [55 * MINUTE, "e"],
        ],
      ],
      [2 * DAY, [[30 * MINUTE, "c"]]],
      [2 * DAY + 1, [[5 * MINUTE, "a2"]]],
    );
    expect(events.map(({ name }) => name)).toEqual(["a", "a2", "b", "c", "d", "e"]);
    expect(jumps).toBe(0);
  });

  it("of a file that begins with the last event are sorted by their times", () => {
    const { events, jumps } = repair([
      5 * DAY,
      [
        [120 * MINUTE, "d"],
        [119 * MINUTE, "c"],
        [60, "b"],
        [0, "a"],
      ],
    ]);
    expect(toSteps(events)).toEqual([
      [0, "a"],
      [60, "b"],
      [60, "c"],
      [120, "d"],
    ]);
    expect(jumps).toBe(1);
  });
});

it("the snapshot is the state of the last heartbeat in the order of the play", () => {
  const { snapshot } = repair(
    [
      10,
      [
        [0, "a"],
        [10, "session_heartbeat", undefined, { n: 1 }],
      ],
    ],
    [30, [[30 * DAY, "session_heartbeat", undefined, { n: 2 }]]],
    [
      50,
      [
        [40, "session_heartbeat", undefined, { n: 3 }],
        [50, "f"],
      ],
    ],
  );
  expect(snapshot).toEqual({ state: { n: 3 }, at: START + 10_000, jumpMs: (30 * DAY - 10) * 1000 });
});

it("repaired times have no long steps, never fall, and lose no event, whatever is sent", () => {
  const time = fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.constantFrom(0, 30 * DAY, 9e12, -5e8));
  const batch = fc.tuple(
    fc.integer({ min: 0, max: 40 * DAY }),
    fc.array(time, { minLength: 1, maxLength: 30 }),
  );
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 5 }), (batches) => {
      const { events, sent, jumpMs } = repair(
        ...batches.map(([at, times]): SentBatch => [at, times.map((seconds): Step => [seconds, "x"])]),
      );
      expect(events.length).toBe(batches.flatMap(([, times]) => times).length);
      expect(sent.length).toBe(events.length);
      expect(Number.isSafeInteger(jumpMs)).toBe(true);
      for (const [at, { timestamp }] of events.entries()) {
        const step = timestamp - (events[at - 1]?.timestamp ?? timestamp);
        expect(step).toBeGreaterThanOrEqual(0);
        expect(step).toBeLessThanOrEqual(30 * MINUTE * 1000);
      }
    }),
  );
});
