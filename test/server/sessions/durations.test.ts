/** Durations: the snapshot first, otherwise what the events tell. */

import { describe, expect, it } from "vitest";
import { computeDurations, MAX_SESSION_MS } from "../../../src/server/sessions/durations.ts";
import fc from "../../property.ts";
import { eventsOf, type Step } from "../analysis/recorded-sessions.ts";

const seconds = (steps: readonly Step[], snapshot: Record<string, unknown> | null = null) => {
  const { wallMs, activeMs } = computeDurations(eventsOf(steps), snapshot);
  return [wallMs / 1000, activeMs / 1000];
};
const hour: Step[] = [
  [0, "begin"],
  [3600, "end"],
];

describe("from the events", () => {
  it("is nothing without events, and for one event", () => {
    expect(seconds([])).toEqual([0, 0]);
    expect(seconds([[7, "begin"]])).toEqual([0, 0]);
  });

  it("runs from the first to the last timestamp, in whatever order they come", () => {
    const shuffled: Step[] = [
      [50, "b"],
      [100, "c"],
      [0, "a"],
    ];
    expect(seconds(shuffled)).toEqual([100, 100]);
  });

  it("takes off the time unfocused and the time idle", () => {
    const away: Step[] = [
      [100, "focus_lost"],
      [160, "focus_gained"],
      [200, "idle_start"],
      [230, "idle_end"],
    ];
    expect(seconds([...hour, ...away])).toEqual([3600, 3510]);
  });

  it("counts overlapping intervals once, also where one ends inside the other", () => {
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

  it("runs an interval that nothing closes to the end", () => {
    expect(seconds([...hour, [3000, "idle_start"]])).toEqual([3600, 3000]);
  });

  it("ignores an end without a start, and a second start", () => {
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

describe("from the snapshot", () => {
  it("believes its wall and active seconds", () => {
    expect(seconds(hour, { wallSec: 90, activeSec: 60.5 })).toEqual([90, 60.5]);
  });

  it("takes playTimeSec for what is missing", () => {
    expect(seconds(hour, { playTimeSec: 80 })).toEqual([80, 80]);
    expect(seconds(hour, { wallSec: 90, playTimeSec: 80 })).toEqual([90, 80]);
    expect(seconds(hour, { activeSec: 50, playTimeSec: 80 })).toEqual([80, 50]);
  });

  it("takes its wall time and the events' idle time", () => {
    expect(seconds([...hour, [3000, "idle_start"]], { wallSec: 4000 })).toEqual([4000, 3400]);
    expect(seconds([...hour, [0, "idle_start"]], { wallSec: 10 })).toEqual([10, 0]);
  });

  it("never has more active than wall time", () => {
    expect(seconds(hour, { wallSec: 10, activeSec: 20 })).toEqual([10, 10]);
    expect(seconds(hour, { activeSec: 1e6 })).toEqual([3600, 3600]);
  });

  it("believes 0, and no number that is negative, infinite or no number", () => {
    expect(seconds(hour, { wallSec: 0, activeSec: 0 })).toEqual([0, 0]);
    for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e308, "90", null, [90]]) {
      expect(seconds(hour, { wallSec: bad, activeSec: bad, playTimeSec: bad })).toEqual([3600, 3600]);
    }
  });

  it("does not take what an object inherits", () => {
    expect(seconds(hour, Object.create({ wallSec: 5 }))).toEqual([3600, 3600]);
  });
});

describe("a session that is too long to be believed", () => {
  const longest = MAX_SESSION_MS / 1000;

  it("lasts as long as the longest, by events and by snapshot", () => {
    expect(seconds([...hour, [longest, "end"]])).toEqual([longest, longest]);
    expect(seconds([...hour, [longest + 1, "end"]])).toEqual([longest, longest]);
    expect(seconds(hour, { wallSec: longest + 1, activeSec: longest + 2 })).toEqual([longest, longest]);
    expect(seconds(hour, { playTimeSec: 9e12 })).toEqual([longest, longest]);
    expect(seconds(hour, { wallSec: 9e12, activeSec: 5 })).toEqual([longest, 5]);
  });

  it("was active when nobody was away, of all its time", () => {
    expect(seconds([...hour, [longest, "idle_start"], [longest * 2, "end"]])).toEqual([longest, longest]);
  });
});

it("holds 0 <= active <= wall for whatever comes", () => {
  const names = fc.constantFrom("focus_lost", "focus_gained", "idle_start", "idle_end", "move");
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 1e6 }), names));
  const number = fc.oneof(fc.double(), fc.constant(undefined));
  const snapshot = fc.option(fc.record({ wallSec: number, activeSec: number, playTimeSec: number }));
  fc.assert(
    fc.property(steps, snapshot, (some, state) => {
      const { wallMs, activeMs } = computeDurations(eventsOf(some), state);
      expect(activeMs).toBeGreaterThanOrEqual(0);
      expect(activeMs).toBeLessThanOrEqual(wallMs);
      expect(wallMs).toBeLessThanOrEqual(MAX_SESSION_MS);
    }),
  );
});

it("counts inactive time as a second-by-second count does", () => {
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
