/** Parsing of times, durations and ages. */

import { describe, expect, test } from "vitest";
import { isoTime } from "../../src/render/time.ts";
import { parseAge, parseDuration } from "../../src/shared/durations.ts";
import { parseFutureTime, parseTime } from "../../src/shared/times.ts";
import { NOW } from "../harness.ts";
import fc from "../property.ts";

const iso = (text: string, tz = "UTC") => {
  const ms = parseTime(text, NOW, tz);
  return ms === null ? null : new Date(ms).toISOString();
};

describe("parseFutureTime", () => {
  test.each([
    ["36h", NOW + 129_600_000],
    ["7d", NOW + 604_800_000],
    ["2026-12-31", Date.UTC(2026, 11, 31)],
    ["9999999999999", 9_999_999_999_999],
    ["13000w", NOW + 13_000 * 604_800_000],
    ["99999w", null],
    ["0", null],
  ])("parses %s", (text, ms) => {
    expect(parseFutureTime(text, NOW, "UTC")).toBe(ms);
  });
});

describe("parseTime", () => {
  test.each([
    ["1772366400000", NOW],
    ["0000000000000", 0],
    ["9999999999999", 9_999_999_999_999],
    ["0m", NOW],
    ["5m", NOW - 300_000],
    ["36h", NOW - 129_600_000],
    ["7d", NOW - 604_800_000],
    ["2w", NOW - 1_209_600_000],
    ["99999w", 0],
  ])("parses %s", (text, ms) => {
    expect(parseTime(text, NOW, "UTC")).toBe(ms);
  });

  test.each([
    ["2026-03-01", "2026-03-01T00:00:00.000Z"],
    ["2026-03-01T12:00", "2026-03-01T12:00:00.000Z"],
    ["2026-03-01 12:00", "2026-03-01T12:00:00.000Z"],
    ["2026-03-01T12:00:30", "2026-03-01T12:00:30.000Z"],
    ["2026-03-01T12:00:30.5Z", "2026-03-01T12:00:30.500Z"],
    ["2026-03-01T12:00:30.123456Z", "2026-03-01T12:00:30.123Z"],
    ["2026-03-01t12:00z", "2026-03-01T12:00:00.000Z"],
    ["2026-03-01T12:00+05:30", "2026-03-01T06:30:00.000Z"],
    ["2026-03-01T12:00-0800", "2026-03-01T20:00:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ])("parses %s as UTC", (text, expected) => {
    expect(iso(text)).toBe(expected);
  });

  test("returns null for invalid text", () => {
    const texts =
      "0;5;2026;202611;20261119;1771749000;177236640000;17723664000000;2026-11;2026-W47;now;yesterday;7 d;-7d;1.5d;7D;3s;1mo;2026-3-1;2026-02-30;2025-02-29;2026-13-01;2026-03-01T25:00;" +
      "2026-03-01T12;2026-03-01T12:60;2026-03-01T12:00+25:00;2026-03-01T12:00 CET;01.03.2026;1e12;0x10;+5;-5; 5;5 ;";
    for (const text of texts.split(";")) expect([text, parseTime(text, NOW, "UTC")]).toEqual([text, null]);
  });

  test("accepts only 13 digits as Unix milliseconds", () => {
    const digits = fc.stringMatching(/^[0-9]{1,20}$/);
    fc.assert(
      fc.property(digits, (text) => {
        expect(parseTime(text, NOW, "UTC")).toBe(text.length === 13 ? Number(text) : null);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1e12, max: 1e13 - 1 }), (ms) => {
        expect(parseTime(String(ms), NOW, "Asia/Tokyo")).toBe(ms);
      }),
    );
  });

  test("subtracts an age from now, but not below 1970", () => {
    const units = fc.constantFrom(["m", 60_000], ["h", 3_600_000], ["d", 86_400_000], ["w", 604_800_000]);
    fc.assert(
      fc.property(fc.nat(1_000_000), units, (amount, [unit, ms]) => {
        const age = `${amount}${unit}`;
        expect(parseAge(age)).toBe(amount * Number(ms));
        expect(parseTime(age, NOW, "UTC")).toBe(Math.max(0, NOW - amount * Number(ms)));
      }),
    );
  });

  test("returns null or a safe integer for any text", () => {
    const alphabet = fc.constantFrom(..."0123456789-:.TZ+mhdws ");
    fc.assert(
      fc.property(fc.string({ unit: alphabet, maxLength: 26 }), (text) => {
        const ms = parseTime(text, NOW, "UTC");
        if (ms === null) return;
        expect(Number.isSafeInteger(ms)).toBe(true);
        expect(text).toMatch(/^\d{13}$|^\d+[mhdw]$|^\d{4}-\d{2}-\d{2}/);
      }),
    );
  });

  test("ignores the time zone if the text has an offset", () => {
    expect(iso("2026-07-01T12:00Z", "America/New_York")).toBe("2026-07-01T12:00:00.000Z");
    expect(iso("2026-07-01T12:00+02:00", "America/New_York")).toBe("2026-07-01T10:00:00.000Z");
  });

  test.each([
    ["2026-07-01", "Europe/Berlin", "2026-06-30T22:00:00.000Z"],
    ["2026-01-01", "Europe/Berlin", "2025-12-31T23:00:00.000Z"],
    ["2026-03-01", "Asia/Kolkata", "2026-02-28T18:30:00.000Z"],
    ["2026-03-01T12:00", "Pacific/Chatham", "2026-02-28T22:15:00.000Z"],
    ["2026-03-29T01:59", "Europe/Berlin", "2026-03-29T00:59:00.000Z"],
    ["2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00:00.000Z"],
    ["2026-10-25T01:59", "Europe/Berlin", "2026-10-24T23:59:00.000Z"],
    ["2026-10-25T03:00", "Europe/Berlin", "2026-10-25T02:00:00.000Z"],
    ["2026-03-08T01:59", "America/New_York", "2026-03-08T06:59:00.000Z"],
    ["2026-03-08T03:00", "America/New_York", "2026-03-08T07:00:00.000Z"],
    ["2026-11-01T00:59", "America/New_York", "2026-11-01T04:59:00.000Z"],
    ["2026-11-01T02:00", "America/New_York", "2026-11-01T07:00:00.000Z"],
    ["2026-04-05T03:30", "Australia/Sydney", "2026-04-04T17:30:00.000Z"],
    ["2026-10-04T03:00", "Australia/Sydney", "2026-10-03T16:00:00.000Z"],
  ])("parses %s in %s", (text, tz, expected) => {
    expect(iso(text, tz)).toBe(expected);
  });

  test.each([
    ["2026-03-29T02:30", "Europe/Berlin"],
    ["2026-03-08T02:30", "America/New_York"],
  ])("moves the skipped time %s in %s forward by one hour", (text, tz) => {
    const ms = parseTime(text, NOW, tz) ?? 0;
    expect(isoTime(ms, tz).slice(0, 16)).toBe(text.replace("02:", "03:"));
  });

  test.each(["America/Santiago", "Africa/Cairo"])(
    "parses a date in %s on a day that starts at 01:00",
    (tz) => {
      for (const day of ["2026-09-06", "2026-04-24"]) {
        expect(isoTime(parseTime(day, NOW, tz) ?? 0, tz).slice(0, 10)).toBe(day);
      }
    },
  );

  test("uses the first of two times that occur twice", () => {
    for (const [text, tz] of [
      ["2026-10-25T02:30", "Europe/Berlin"],
      ["2026-11-01T01:30", "America/New_York"],
    ] as const) {
      const ms = parseTime(text, NOW, tz) ?? 0;
      expect([ms, ms + 3_600_000].map((time) => isoTime(time, tz).slice(0, 16))).toEqual([text, text]);
    }
  });

  test("round-trips with isoTime in any zone", () => {
    const zones = fc.constantFrom(
      "Europe/Berlin",
      "America/New_York",
      "Asia/Kolkata",
      "Australia/Lord_Howe",
      "America/St_Johns",
    );
    const minutes = fc.integer({ min: Date.UTC(2020, 0) / 60_000, max: Date.UTC(2030, 0) / 60_000 });
    fc.assert(
      fc.property(zones, minutes, (tz, minute) => {
        const formatted = isoTime(minute * 60_000, tz);
        const parsed = parseTime(formatted.slice(0, 19), NOW, tz) ?? 0;
        expect(isoTime(parsed, tz).slice(0, 19)).toBe(formatted.slice(0, 19));
        expect(parseTime(formatted, NOW, "Asia/Tokyo")).toBe(minute * 60_000);
      }),
    );
  });
});

describe("parseDuration", () => {
  test.each([
    ["0", 0],
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5s", 1500],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["7d", 604_800_000],
    ["0s", 0],
  ])("parses %s as %i ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test("returns null for invalid text", () => {
    for (const text of [
      "",
      "5",
      "-5s",
      "5 s",
      "s",
      "5sec",
      "1w",
      "5S",
      "1.s",
      ".5s",
      "1e3ms",
      "Infinity",
      "0x5s",
    ]) {
      expect([text, parseDuration(text)]).toEqual([text, null]);
    }
  });
});

describe("parseDuration and parseAge", () => {
  const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
  const units = fc.constantFrom(...(Object.keys(unitMs) as (keyof typeof unitMs)[]));

  test("agree on the units that both support", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), units, (amount, unit) => {
        const ms = amount * unitMs[unit];
        const text = `${amount}${unit}`;
        expect(parseDuration(text)).toBe(["ms", "s", "m", "h", "d"].includes(unit) ? ms : null);
        expect(parseAge(text)).toBe(["m", "h", "d", "w"].includes(unit) ? ms : null);
      }),
    );
  });

  test("require a unit except for 0", () => {
    fc.assert(
      fc.property(fc.nat(), (amount) => {
        const expected = amount === 0 ? 0 : null;
        expect([parseDuration(`${amount}`), parseAge(`${amount}`)]).toEqual([expected, expected]);
      }),
    );
  });
});
