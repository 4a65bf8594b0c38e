/** Buckets of hours, days and ISO weeks: limits, labels, and the buckets of a span. */
import { describe, expect, test } from "vitest";
import {
  type BucketWidth,
  bucketAt,
  countBuckets,
  findBucketStart,
  listBuckets,
} from "../../src/shared/calendar.ts";

const parse = (text: string) => Date.parse(text);
const allTime = { from: 0, to: Number.MAX_SAFE_INTEGER };

describe("bucketAt and listBuckets", () => {
  test.each<[BucketWidth, string, string, string]>([
    ["hour", "2026-11-19T05:59:59.999Z", "2026-11-19T05", "2026-11-19T05:00:00Z"],
    ["day", "2026-11-19T00:00:00Z", "2026-11-19", "2026-11-19T00:00:00Z"],
    ["day", "2026-11-19T23:59:59.999Z", "2026-11-19", "2026-11-19T00:00:00Z"],
    ["week", "2026-11-19T12:00:00Z", "2026-W47", "2026-11-16T00:00:00Z"],
    ["week", "2026-11-22T23:59:59.999Z", "2026-W47", "2026-11-16T00:00:00Z"],
    ["week", "2026-11-23T00:00:00Z", "2026-W48", "2026-11-23T00:00:00Z"],
    // Weeks at the turn of the year, from the examples of ISO 8601.
    ["week", "2005-01-01T00:00:00Z", "2004-W53", "2004-12-27T00:00:00Z"],
    ["week", "2008-12-29T00:00:00Z", "2009-W01", "2008-12-29T00:00:00Z"],
    ["week", "2010-01-03T00:00:00Z", "2009-W53", "2009-12-28T00:00:00Z"],
  ])("find the %s of %s: %s", (by, time, label, start) => {
    const bucket = bucketAt(parse(time), by, allTime);
    expect([bucket.label, bucket.start]).toEqual([label, parse(start)]);
    expect(bucket.to).toBe(bucket.end - 1);
    expect(findBucketStart(bucket.end, by)).toBe(bucket.end);
  });

  test("limit buckets to the span", () => {
    const span = { from: parse("2026-11-19T06:00:00Z"), to: parse("2026-11-20T03:00:00Z") };
    const buckets = [...listBuckets(span, "day")];
    expect(buckets.map(({ label }) => label)).toEqual(["2026-11-19", "2026-11-20"]);
    expect(buckets.map(({ from, to }) => [from, to])).toEqual([
      [span.from, parse("2026-11-19T23:59:59.999Z")],
      [parse("2026-11-20T00:00:00Z"), span.to],
    ]);
  });
});

test.each<BucketWidth>(["hour", "day", "week"])(
  "countBuckets matches listBuckets by %s, with labels in chronological order",
  (by) => {
    const span = { from: parse("2026-11-03T07:30:00Z"), to: parse("2026-12-20T03:00:00Z") };
    const labels = [...listBuckets(span, by)].map(({ label }) => label);
    expect(countBuckets(span, by)).toBe(labels.length);
    expect(labels).toEqual([...new Set(labels)].sort());
  },
);
