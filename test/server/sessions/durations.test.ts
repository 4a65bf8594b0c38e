/** Durations of sessions: computed from the state snapshot if there is one, otherwise from the events. */

import { describe, expect, it } from "vitest";
import { computeDurations, MAX_SESSION_MS } from "../../../src/server/sessions/durations.ts";
import fc from "../../property.ts";
import { createEvents, type Step } from "../analysis/recorded-sessions.ts";

/** The durations in seconds. The snapshot is of the second `at`, or of the last event. */
const seconds = (steps: readonly Step[], state: Record<string, unknown> | null = null, at?: number) => {
  const events = createEvents(steps);
  const start = createEvents([[0, "begin"]])[0]?.timestamp ?? 0;
  const last = Math.max(...events.map(({ timestamp }) => timestamp));
  const snapshot = state && { state, at: at === undefined ? last : start + at * 1000 };
  const { wallMs, activeMs } = computeDurations(events, snapshot);
  return [wallMs / 1000, activeMs / 1000];
};
const hour: Step[] = [
  [0, "begin"],
  [3600, "end"],
];

describe("a duration from events", () => {
  it("is 0 without events and for a single event", () => {
    expect(seconds([])).toEqual([0, 0]);
    expect(seconds([[7, "begin"]])).toEqual([0, 0]);
  });

  it("is the time between the earliest and the latest timestamp, in any order of events", () => {
    const shuffled: Step[] = [
      [50, "b"],
      [100, "c"],
      [0, "a"],
    ];
    expect(seconds(shuffled)).toEqual([100, 100]);
  });

  it("excludes unfocused time and idle time from the active time", () => {
    const away: Step[] = [
      [100, "focus_lost"],
      [160, "focus_gained"],
      [200, "idle_start"],
      [230, "idle_end"],
    ];
    expect(seconds([...hour, ...away])).toEqual([3600, 3510]);
  });

  it("excludes overlapping intervals only once, nested or not", () => {
    const nested: Step[] = [
      [100, "focus_lost"],
      [110, "idle_start"],
      [120, "idle_end"],
      [160, "focus_gained"],
    ];
    const crossed: Step[] = [
      [100, "focus_lost"],
      [120, "idle_start"],
      [160, "focus_gained"],
      [180, "idle_end"],
    ];
    expect(seconds([...hour, ...nested])).toEqual([3600, 3540]);
    expect(seconds([...hour, ...crossed])).toEqual([3600, 3520]);
  });

  it("extends an interval without an end event to the end of the session", () => {
    expect(seconds([...hour, [3000, "idle_start"]])).toEqual([3600, 3000]);
  });

  it("ends an interval without an end event with the next event of play", () => {
    expect(seconds([...hour, [100, "focus_lost"], [150, "session_heartbeat"], [160, "move"]])).toEqual([
      3600, 3540,
    ]);
    const twice: Step[] = [
      [100, "focus_lost"],
      [160, "move"],
      [200, "focus_lost"],
      [230, "move"],
      [240, "focus_gained"],
    ];
    expect(seconds([...hour, ...twice])).toEqual([3600, 3500]);
  });

  it("ignores an end event without a start, and a repeated start", () => {
    const odd: Step[] = [
      [10, "focus_gained"],
      [20, "idle_end"],
      [30, "idle_start"],
      [40, "idle_start"],
      [50, "idle_end"],
      [60, "focus_gained"],
    ];
    expect(seconds([...hour, ...odd])).toEqual([3600, 3580]);
  });
});

describe("a duration from a snapshot", () => {
  it("uses wallSec and activeSec", () => {
    expect(seconds(hour, { wallSec: 3700, activeSec: 60.5 })).toEqual([3700, 60.5]);
  });

  it("adds the play after the snapshot", () => {
    const times = { wallSec: 180, activeSec: 150 };
    const crashed: Step[] = [
      [0, "begin"],
      [180, "session_heartbeat"],
      [211, "crash_reported"],
    ];
    expect(seconds(crashed, times, 180)).toEqual([211, 181]);
    expect(seconds([...crashed, [190, "focus_lost"], [200, "focus_gained"]], times, 180)).toEqual([211, 171]);
    // Inactive since before the snapshot: only the time after it is left out.
    expect(seconds([...crashed, [170, "idle_start"], [200, "idle_end"]], times, 180)).toEqual([211, 161]);
    expect(seconds(crashed, { playTimeSec: 170 }, 180)).toEqual([211, 201]);
  });

  it("is at least the time between the first and the last event", () => {
    expect(seconds(hour, { wallSec: 90, activeSec: 60.5 })).toEqual([3600, 60.5]);
  });

  it("uses playTimeSec if wallSec or activeSec is missing", () => {
    expect(seconds(hour, { playTimeSec: 3800 })).toEqual([3800, 3800]);
    expect(seconds(hour, { wallSec: 3900, playTimeSec: 3800 })).toEqual([3900, 3800]);
    expect(seconds(hour, { activeSec: 50, playTimeSec: 3800 })).toEqual([3800, 50]);
  });

  it("combines wallSec with the idle time of the events if activeSec is missing", () => {
    expect(seconds([...hour, [3000, "idle_start"]], { wallSec: 4000 })).toEqual([4000, 3400]);
    expect(seconds([...hour, [0, "idle_start"]], { wallSec: 10 })).toEqual([3600, 0]);
  });

  it("limits the active time to the wall time", () => {
    expect(seconds([[0, "begin"]], { wallSec: 10, activeSec: 20 })).toEqual([10, 10]);
    expect(seconds(hour, { activeSec: 1e6 })).toEqual([3600, 3600]);
  });

  it("accepts 0, and ignores negative, infinite and invalid numbers", () => {
    expect(seconds(hour, { wallSec: 0, activeSec: 0 })).toEqual([3600, 0]);
    for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e308, "90", null, [90]]) {
      expect(seconds(hour, { wallSec: bad, activeSec: bad, playTimeSec: bad })).toEqual([3600, 3600]);
    }
  });

  it("ignores inherited properties", () => {
    expect(seconds(hour, Object.create({ wallSec: 5 }))).toEqual([3600, 3600]);
  });
});

describe("a session that is longer than the maximum", () => {
  const longest = MAX_SESSION_MS / 1000;

  it("has the maximum duration, from events and from a snapshot", () => {
    expect(seconds([...hour, [longest, "end"]])).toEqual([longest, longest]);
    expect(seconds([...hour, [longest + 1, "end"]])).toEqual([longest, longest]);
    expect(seconds(hour, { wallSec: longest + 1, activeSec: longest + 2 })).toEqual([longest, longest]);
    expect(seconds(hour, { playTimeSec: 9e12 })).toEqual([longest, longest]);
    expect(seconds(hour, { wallSec: 9e12, activeSec: 5 })).toEqual([longest, 5]);
  });

  it("subtracts inactive time before its active time is limited", () => {
    expect(seconds([...hour, [longest, "idle_start"], [longest * 2, "end"]])).toEqual([longest, longest]);
  });
});

it("returns 0 <= active time <= wall time for any input", () => {
  const names = fc.constantFrom("focus_lost", "focus_gained", "idle_start", "idle_end", "move");
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 1e6 }), names));
  const number = fc.oneof(fc.double(), fc.constant(undefined));
  const snapshot = fc.option(fc.record({ wallSec: number, activeSec: number, playTimeSec: number }));
  fc.assert(
    fc.property(steps, snapshot, fc.integer(), (some, state, at) => {
      const events = createEvents(some);
      const { wallMs, activeMs } = computeDurations(events, state && { state, at });
      const times = events.map(({ timestamp }) => timestamp);
      const span = times.length === 0 ? 0 : Math.max(...times) - Math.min(...times);
      expect(wallMs).toBeGreaterThanOrEqual(Math.min(span, MAX_SESSION_MS));
      expect(activeMs).toBeGreaterThanOrEqual(0);
      expect(activeMs).toBeLessThanOrEqual(wallMs);
      expect(wallMs).toBeLessThanOrEqual(MAX_SESSION_MS);
    }),
  );
});

it("computes the same active time as a count second by second", () => {
  const names = fc.constantFrom("focus_lost", "focus_gained", "idle_start", "idle_end");
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 60 })), fc.array(names), (times, kinds) => {
      const marks = times
        .toSorted((a, b) => a - b)
        .flatMap((time, at) => (kinds[at] ? [{ time, name: kinds[at] }] : []));
      const away = { focus: false, idle: false };
      let active = 0;
      for (let second = 0; second < 61; second += 1) {
        for (const { name } of marks.filter(({ time }) => time === second)) {
          away[name.startsWith("focus") ? "focus" : "idle"] = name === "focus_lost" || name === "idle_start";
        }
        if (!away.focus && !away.idle) active += 1;
      }
      const steps: Step[] = [
        [0, "begin"],
        ...marks.map(({ time, name }) => [time, name] as const),
        [61, "end"],
      ];
      expect(seconds(steps)).toEqual([61, active]);
    }),
  );
});
