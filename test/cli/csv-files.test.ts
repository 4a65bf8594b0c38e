/** Tests of CSV files: the syntax in pieces of any size, and the times of rows. */
import Papa from "papaparse";
import { describe, expect, test } from "vitest";
import { CsvParser, type RawRecord } from "../../src/cli/csv-files/parser.ts";
import { buildImportRequests } from "../../src/cli/csv-files/requests.ts";
import type { ImportedRow } from "../../src/cli/csv-files/rows.ts";
import { SessionFinder } from "../../src/cli/csv-files/sessions.ts";
import { parseTime } from "../../src/cli/csv-files/times.ts";
import fc from "../property.ts";

/** Parses a text in pieces of the given sizes. */
function parse(text: string, delimiter = ",", sizes: readonly number[] = []): RawRecord[] {
  const parser = new CsvParser(delimiter);
  const records: RawRecord[] = [];
  let rest = text;
  for (const size of sizes) {
    records.push(...parser.push(rest.slice(0, size)));
    rest = rest.slice(size);
  }
  records.push(...parser.push(rest));
  const last = parser.end();
  return last ? [...records, last] : records;
}

const cells = (records: readonly RawRecord[]) => records.map((record) => record.cells);

describe("a CSV file", () => {
  test("can contain quotes, line breaks and separators in quoted text, with LF or CR LF", () => {
    const records = parse('a,"b ""x"", c","d\r\ne"\r\n"",f"g,\n\n"h\r"\r\n');
    expect(cells(records)).toEqual([["a", 'b "x", c', "d\r\ne"], ["", 'f"g', ""], [""], ["h\r"]]);
    expect(records.map(({ line, endLine }) => [line, endLine])).toEqual([
      [1, 2],
      [3, 3],
      [4, 4],
      [5, 5],
    ]);
    expect(records.every(({ fault }) => fault === null)).toBe(true);
  });

  test("names malformed quotes, and continues with the next row", () => {
    const records = parse('"a"b,c\nd,e\n"f,g\n');
    expect(records.map(({ line, fault }) => [line, fault])).toEqual([
      [1, "column 1 has text after its closing quote"],
      [2, null],
      [3, "its last quoted text has no closing quote"],
    ]);
  });

  test("is the same in pieces of any size, and what Papa Parse writes and reads", () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", '"', ",", "\n", "\r", "\t", " ", ";"),
      maxLength: 6,
    });
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 20 });
    const newline = fc.constantFrom("\n", "\r\n");
    const separators = fc.constantFrom(",", "\t", ";");
    fc.assert(
      fc.property(rows, sizes, newline, separators, (data, pieces, lineEnd, delimiter) => {
        const text = Papa.unparse(data, { newline: lineEnd, delimiter, quotes: true });
        const records = parse(text, delimiter, pieces);
        expect(cells(records)).toEqual(data);
        expect(records.every(({ fault }) => fault === null)).toBe(true);
      }),
    );
  });

  test("refuses a record that never ends", () => {
    const parser = new CsvParser(",");
    parser.push('a\n"');
    const push = () => {
      for (let at = 0; at < 9; at++) parser.push("x".repeat(1024 * 1024));
    };
    expect(push).toThrow("line 2");
  });
});

describe("the time of a row", () => {
  const expected = Date.UTC(2026, 2, 1, 12, 0, 0, 250);

  test.each([
    ["2026-03-01T12:00:00.250Z", "iso", null],
    ["2026-03-01 12:00:00.250 UTC", "iso", null],
    ["2026-03-01T14:00:00.250999+02:00", "iso", "UTC"],
    ["2026-03-01 10:30:00,250-0130", "iso", null],
    ["2026-03-01 12:00:00.25", "iso", "UTC"],
    ["2026-03-01 07:00:00.250", "iso", "-0500"],
    ["1772366400250", "unix-ms", null],
    ["1772366400.25", "unix-s", null],
    ["1772366400250999", "unix-us", null],
  ] as const)("%s as %s with the zone %s", (text, format, zone) => {
    expect(parseTime(text, format, zone)).toEqual({ time: expected });
  });

  test.each([
    ["2026-03-01 12:00:00", "iso", null, "has no time zone"],
    ["2026-03-01T12:00:00+25:00", "iso", null, 'the time zone "+25:00" of'],
    ["2026-03-01T12:00:00+25:00", "iso", "UTC", 'the time zone "+25:00" of'],
    ["2026-03-01 12:00:00", "iso", "Europe/Berlin", "is not an offset"],
    ["03/01/2026 12:00", "iso", "UTC", "is not ISO 8601"],
    ["2026-03-01", "iso", "UTC", "is not ISO 8601"],
    ["2026-02-30T12:00:00Z", "iso", null, "does not exist"],
    ["2026-03-01T24:00:00Z", "iso", null, "does not exist"],
    ["1999-03-01T12:00:00Z", "iso", null, "2000 to 2099"],
    ["1772366400", "unix-ms", null, "It looks like unix-s"],
    ["1772366400250", "unix-s", null, "It looks like unix-ms"],
    ["1.77237E+12", "unix-ms", null, "has lost digits"],
    ["soon", "unix-s", null, "is not a number"],
    ["", "iso", null, "is empty"],
  ] as const)("%s as %s with the zone %s is refused", (text, format, zone, reason) => {
    expect(parseTime(text, format, zone)).toEqual({ fault: expect.stringContaining(reason) });
  });
});

describe("a large file", () => {
  const fields = { device: "d", tester: "", build: "1", environment: "", platform: "" };

  test.each([
    [120_000, 2, 40_000],
    [60_000, 1000, 12_400],
  ])("of %i rows with %i bytes of data keeps at most %i rows in memory", async (count, bytes, limit) => {
    let read = 0;
    let sent = 0;
    let most = 0;
    const rows = async function* (): AsyncGenerator<ImportedRow[]> {
      for (; read < count; read++) {
        most = Math.max(most, read - sent);
        const event = {
          id: `e${read}`,
          name: "jump",
          timestamp: 1e12 + read,
          data: { note: "x".repeat(bytes) },
        };
        yield [{ line: read + 2, session: `s${read % 700}`, fields, event }];
      }
    };
    const target = { game: "ember", source: undefined, afterLine: 0 };
    let previous = 0;
    for await (const request of buildImportRequests(rows(), new SessionFinder(null), target)) {
      if ("message" in request) throw new Error(request.message);
      const { body, throughLine } = request;
      expect(body.events.length).toBeLessThanOrEqual(2000);
      expect(throughLine).toBeGreaterThanOrEqual(previous);
      previous = throughLine;
      sent += body.events.length;
    }
    expect([sent, previous]).toEqual([count, count + 1]);
    expect(most).toBeLessThanOrEqual(limit);
    expect(most).toBeGreaterThan(limit / 2);
  });
});
