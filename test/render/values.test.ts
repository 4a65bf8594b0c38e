/** Formatting of times, durations, numbers, bars and colors. */

import { describe, expect, it } from "vitest";
import { bar } from "../../src/render/bars.ts";
import { formatNumber, formatShare, formatTenths } from "../../src/render/numbers.ts";
import { painter } from "../../src/render/style.ts";
import { fitColumns } from "../../src/render/table.ts";
import { formatDuration, formatTime, isoTime, relativeTime } from "../../src/render/time.ts";
import fc from "../property.ts";
import { NOW, terminal } from "./samples.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("isoTime", () => {
  it.each([
    [NOW, "UTC", "2026-03-10T12:00:00Z"],
    [NOW + 7, "UTC", "2026-03-10T12:00:00.007Z"],
    [0, "UTC", "1970-01-01T00:00:00Z"],
    [NOW, "Europe/Berlin", "2026-03-10T13:00:00+01:00"],
    [Date.UTC(2026, 6, 1), "Europe/Berlin", "2026-07-01T02:00:00+02:00"],
    [NOW, "America/St_Johns", "2026-03-10T09:30:00-02:30"],
    [NOW + 7, "Asia/Kathmandu", "2026-03-10T17:45:00.007+05:45"],
    [Date.UTC(-43, 2, 15), "Asia/Tokyo", "-000043-03-15T09:18:59+09:18"],
    [9e15, "UTC", "9000000000000000"],
    [8.64e15, "Asia/Tokyo", "8640000000000000"],
  ])("%d in %s", (ms, tz, expected) => {
    expect(isoTime(ms, tz)).toBe(expected);
  });

  it("can be parsed back to the same time in every zone", () => {
    const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kolkata");
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 4e12 }), zone, (ms, tz) => {
        // Offsets before standard time had seconds, which ISO 8601 does not support.
        expect(Math.abs(Date.parse(isoTime(ms, tz)) - ms)).toBeLessThan(MINUTE);
        if (ms > 0) expect(Date.parse(isoTime(ms, tz))).toBe(ms);
      }),
    );
  });

  it("throws for an unknown zone", () => {
    expect(() => isoTime(0, "Mars/Olympus")).toThrow(RangeError);
  });
});

describe("relativeTime", () => {
  it.each([
    [0, "just now"],
    [59_999, "just now"],
    [-59_999, "just now"],
    [MINUTE, "1m ago"],
    [HOUR - 1, "59m ago"],
    [HOUR, "1h ago"],
    [3.2 * DAY, "3d ago"],
    [30 * DAY, "1mo ago"],
    [800 * DAY, "2y ago"],
    [-2 * HOUR, "in 2h"],
  ])("%d ms ago is %s", (age, expected) => {
    expect(relativeTime(NOW - age, NOW)).toBe(expected);
  });
});

describe("formatTime", () => {
  it("is relative at a terminal, otherwise ISO 8601, and a dash for null", () => {
    expect(formatTime(NOW - DAY, terminal())).toBe("1d ago");
    expect(formatTime(NOW - DAY, terminal({ tty: false, tz: "Asia/Tokyo" }))).toBe(
      "2026-03-09T21:00:00+09:00",
    );
    expect(formatTime(null, terminal())).toBe("-");
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0s"],
    [12, "12s"],
    [59.6, "1m 00s"],
    [245, "4m 05s"],
    [3599.7, "1h 00m"],
    [3725, "1h 02m"],
    [360_000, "100h 00m"],
    [-12, "-12s"],
    [-0.2, "0s"],
  ])("%d s is %s", (seconds, expected) => {
    expect(formatDuration(seconds)).toBe(expected);
  });
});

describe("formatNumber", () => {
  it.each([
    [1_234_567, "1,234,567"],
    [123, "123"],
    [-1234.5678, "-1,234.5678"],
    [1e21, "1e+21"],
    [1.2345e-100, "1.2345e-100"],
  ])("%d at a terminal is %s", (value, expected) => {
    expect(formatNumber(value, terminal())).toBe(expected);
    expect(formatNumber(value, terminal({ tty: false }))).toBe(String(value));
  });
});

describe("formatTenths", () => {
  it("has one decimal, and shows 0% only for 0", () => {
    expect([0, 0.0003, 0.001, 0.7046, 1].map(formatTenths)).toEqual([
      "0.0%",
      "<0.1%",
      "0.1%",
      "70.5%",
      "100.0%",
    ]);
  });
});

describe("formatShare", () => {
  it("shows 0% and 100% only for exact values", () => {
    expect([0, 0.001, 0.01, 0.335, 0.995, 1].map(formatShare)).toEqual([
      "0%",
      "<1%",
      "1%",
      "34%",
      ">99%",
      "100%",
    ]);
  });
});

describe("bar", () => {
  it.each([
    [0, 8, ""],
    [1, 8, "████████"],
    [0.5, 8, "████"],
    [0.515625, 8, "████▏"],
    [0.99, 1, "█"],
    [0.0001, 8, "▏"],
    [7, 3, "███"],
    [-1, 3, ""],
    [Number.NaN, 3, ""],
  ])("%d of %d", (share, width, expected) => {
    expect(bar(share, width, terminal())).toBe(expected);
  });

  it("is ASCII in plain mode", () => {
    expect(bar(0.5, 8, terminal({ plain: true }))).toBe("####");
    expect(bar(0.001, 8, terminal({ plain: true }))).toBe("#");
  });
});

describe("painter", () => {
  it("colors only text with a style, and only with color support", () => {
    expect(painter(terminal({ color: 1 }))("ok", "good")).toBe("\x1b[32mok\x1b[39m");
    expect(painter(terminal({ color: 1 }))("ok")).toBe("ok");
    expect(painter(terminal({ color: 3, plain: true }))("ok", "bad")).toBe("ok");
    expect(painter(terminal())("ok", "strong")).toBe("ok");
  });
});

describe("fitColumns", () => {
  const demand = (natural: number, shrink: number | null, minWidth = 8) => ({ natural, shrink, minWidth });

  it("does not shrink columns that fit", () => {
    expect(fitColumns([demand(10, 1), demand(20, null)], 30)).toEqual([10, 20]);
  });

  it("shrinks the highest priority first, down to its minimum", () => {
    expect(fitColumns([demand(30, 1), demand(30, 2), demand(10, null)], 50)).toEqual([30, 10, 10]);
    expect(fitColumns([demand(30, 1), demand(30, 2), demand(10, null)], 40)).toEqual([22, 8, 10]);
  });

  it("shrinks the widest column of a priority first", () => {
    expect(fitColumns([demand(40, 1), demand(20, 1)], 40)).toEqual([20, 20]);
    expect(fitColumns([demand(40, 1), demand(12, 1)], 40)).toEqual([28, 12]);
  });

  it("never shrinks a column below its minimum or without a priority", () => {
    expect(fitColumns([demand(30, 1, 12), demand(30, null)], 10)).toEqual([12, 30]);
  });
});
