/** The view models of charts: downsampling, changes of events, and sessions to watch. */

import { describe, expect, test } from "vitest";
import { downsample, findMaxValue, type Series } from "../../src/charts/charts.ts";
import { eventChanges } from "../../src/charts/event-changes.ts";
import { countByName, type EventBucket, eventChart, eventsChart } from "../../src/charts/events.ts";
import fc from "../property.ts";

const series = (values: readonly (number | null)[]): Series => ({
  kind: "series",
  title: "t",
  note: "",
  unit: "count",
  each: "day",
  missing: "no sessions",
  points: values.map((value, at) => ({ label: `d${at}`, value })),
});

describe("downsample", () => {
  test("averages the known values of neighboring points, and returns null if none is known", () => {
    const { series: result, each } = downsample(series([1, 3, null, 5, null, null, 7]), 4);
    expect(each).toBe(2);
    expect(result.points.map(({ label, value }) => [label, value])).toEqual([
      ["d0", 2],
      ["d2", 5],
      ["d4", null],
      ["d6", 7],
    ]);
  });

  test("never returns more points than requested, or a larger value than the input", () => {
    const value = fc.option(fc.nat(1000));
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 90 }),
        (all, most) => {
          const result = downsample(series(all), most).series;
          expect(result.points.length).toBeLessThanOrEqual(most);
          expect(findMaxValue(result)).toBeLessThanOrEqual(findMaxValue(series(all)));
        },
      ),
    );
  });
});

describe("events over time", () => {
  const bucket = (label: string, sessionCount: number, byName: Record<string, number>): EventBucket => ({
    label,
    start: 0,
    open: false,
    sessionCount,
    total: Object.values(byName).reduce((sum, count) => sum + count, 0),
    byName,
  });
  const named = JSON.parse('{ "__proto__": 2, "jump": 1 }') as Record<string, number>;
  const buckets = [bucket("1", 2, named), bucket("2", 0, {}), bucket("3", 1, { jump: 4 })];
  const events = { game: "Ember", about: "", by: "day", buckets };

  test("distinguish a day without sessions from a day without the event", () => {
    expect(eventsChart(events).points.map(({ value }) => value)).toEqual([3, null, 4]);
    expect(eventChart(events, "__proto__").points.map(({ value }) => value)).toEqual([2, null, 0]);
    expect(eventChart(events, "constructor").points.map(({ value }) => value)).toEqual([0, null, 0]);
  });

  test("are summed by name, most frequent first", () => {
    expect(countByName(buckets)).toEqual([
      ["jump", 5],
      ["__proto__", 2],
    ]);
  });
});

describe("eventChanges", () => {
  const counts = (sessionCount: number, byName: Record<string, number>) => ({ sessionCount, byName });

  test("returns events of only one build, then the largest changes per session", () => {
    const a = counts(10, { gone: 3, same: 100, more: 10, few: 1 });
    const b = counts(20, { came: 2, more: 100, same: 200, few: 9, zero: 0 });
    expect(eventChanges(a, b).map(({ name, kind, eachA, eachB }) => [name, kind, eachA, eachB])).toEqual([
      ["came", "appeared", 0, 0.1],
      ["gone", "vanished", 0.3, 0],
      ["more", "changed", 1, 5],
      ["few", "changed", 0.1, 0.45],
    ]);
  });

  test("returns nothing if a build has no sessions", () => {
    expect(eventChanges(counts(0, {}), counts(3, { jump: 9 }))).toEqual([]);
  });
});
