/** Tables and details: width, alignment, color and escaping. */

import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import type { TableColumn } from "../../src/render/columns.ts";
import { renderDetails } from "../../src/render/details.ts";
import { renderTable } from "../../src/render/table.ts";
import { displayWidth } from "../../src/render/text.ts";
import { formatDuration, formatTime } from "../../src/render/time.ts";
import { LINEAR, measureGrowth } from "../cpu-time.ts";
import fc from "../property.ts";
import { forbiddenIn, hostileText, NOW, shapedText, terminal } from "./samples.ts";

interface Play {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly at: number;
  readonly seconds: number;
  readonly tester: string | null;
  readonly events: number;
}

const DAY = 86_400_000;
const plays: readonly Play[] = [
  {
    id: "sess_8f",
    title: "Second run of the Crystal Caverns with the double jump",
    status: "analyzed",
    at: NOW - 3.2 * DAY,
    seconds: 3725,
    tester: "mira",
    events: 12345,
  },
  {
    id: "sess_1a",
    title: "日本語のプレイテスト",
    status: "failed",
    at: NOW - 7_200_000,
    seconds: 245,
    tester: "a\nb",
    events: 87,
  },
  {
    id: "sess_pp",
    title: "Boss 👩‍👩‍👧‍👦 \x1b[31mred",
    status: "pending",
    at: NOW - 1,
    seconds: 0,
    tester: null,
    events: 1_234_567,
  },
];

const columns: ReadonlyArray<TableColumn<Play>> = [
  { key: "id", header: "ID", value: (play) => play.id },
  { key: "title", header: "TITLE", value: (play) => play.title, shrink: 2 },
  {
    key: "status",
    header: "STATUS",
    value: (play) => play.status,
    style: (play) => (play.status === "failed" ? "bad" : null),
  },
  { key: "testerHandle", header: "TESTER", value: (play) => play.tester, shrink: 1 },
  {
    key: "recordedAt",
    header: "RECORDED",
    value: (play) => play.at,
    align: "left",
    style: "muted",
    format: (value, options) => formatTime(Number(value), options),
  },
  {
    key: "duration",
    header: "DURATION",
    value: (play) => play.seconds,
    format: (value) => formatDuration(Number(value)),
    wide: true,
  },
  { key: "events", header: "EVENTS", value: (play) => play.events },
];

const lines = (text: string) => text.trimEnd().split("\n");

describe("renderTable", () => {
  it("truncates the title to fit 80 columns", () => {
    expect(`\n${renderTable(plays, columns, terminal())}`).toMatchInlineSnapshot(`
      "
      ID       TITLE                             STATUS    TESTER  RECORDED     EVENTS
      ───────  ────────────────────────────────  ────────  ──────  ────────  ─────────
      sess_8f  Second run of the Crystal Caver…  analyzed  mira    3d ago       12,345
      sess_1a  日本語のプレイテスト              failed    a\\nb    2h ago           87
      sess_pp  Boss 👩‍👩‍👧‍👦 \\x1b[31mred               pending   -       just now  1,234,567
      "
    `);
  });

  it("shows everything if the terminal is wide enough", () => {
    expect(`\n${renderTable(plays, columns, terminal({ width: 160, wide: true }))}`).toMatchInlineSnapshot(`
      "
      ID       TITLE                                                   STATUS    TESTER  RECORDED  DURATION     EVENTS
      ───────  ──────────────────────────────────────────────────────  ────────  ──────  ────────  ────────  ─────────
      sess_8f  Second run of the Crystal Caverns with the double jump  analyzed  mira    3d ago      1h 02m     12,345
      sess_1a  日本語のプレイテスト                                    failed    a\\nb    2h ago      4m 05s         87
      sess_pp  Boss 👩‍👩‍👧‍👦 \\x1b[31mred                                     pending   -       just now        0s  1,234,567
      "
    `);
  });

  it("truncates nothing with wide, and shows rows that do not fit as records", () => {
    const text = renderTable(plays, columns, terminal({ wide: true }));
    expect(text).toContain("TITLE     Second run of the Crystal Caverns with the double jump\n");
    expect(text).not.toContain("…");
  });

  it("has no rule and no color for a screen reader", () => {
    expect(`\n${renderTable(plays, columns, terminal({ plain: true, color: 3 }))}`).toMatchInlineSnapshot(`
      "
      ID       TITLE                             STATUS    TESTER  RECORDED     EVENTS
      sess_8f  Second run of the Crystal Caver…  analyzed  mira    3d ago       12,345
      sess_1a  日本語のプレイテスト              failed    a\\nb    2h ago           87
      sess_pp  Boss 👩‍👩‍👧‍👦 \\x1b[31mred               pending   -       just now  1,234,567
      "
    `);
  });

  it("does not truncate in a pipe, and writes unformatted numbers and ISO times", () => {
    expect(`\n${renderTable(plays, columns, terminal({ tty: false, width: 40 }))}`).toMatchInlineSnapshot(`
      "
      ID       TITLE                                                   STATUS    TESTER  RECORDED                   EVENTS
      ───────  ──────────────────────────────────────────────────────  ────────  ──────  ────────────────────────  ───────
      sess_8f  Second run of the Crystal Caverns with the double jump  analyzed  mira    2026-03-07T07:12:00Z        12345
      sess_1a  日本語のプレイテスト                                    failed    a\\nb    2026-03-10T10:00:00Z           87
      sess_pp  Boss 👩‍👩‍👧‍👦 \\x1b[31mred                                     pending   -       2026-03-10T11:59:59.999Z  1234567
      "
    `);
  });

  it("shows each row as a record with all columns if the terminal is too narrow", () => {
    const text = renderTable(plays, columns, terminal({ width: 20 }));
    const records = text.split("\n\n");
    expect(records).toHaveLength(plays.length);
    for (const record of records) {
      const labels = [...record.matchAll(/^[A-Z]+/gm)].map(([label]) => label);
      expect(labels).toEqual(["ID", "TITLE", "STATUS", "TESTER", "RECORDED", "EVENTS"]);
    }
    for (const line of lines(text)) expect(displayWidth(line)).toBeLessThanOrEqual(20);
  });

  it("has the same text in color", () => {
    const colored = renderTable(plays, columns, terminal({ color: 1 }));
    expect(colored).toContain("\x1b[31mfailed\x1b[39m");
    expect(colored).toContain("\x1b[1mTITLE\x1b[22m");
    expect(colored.replace(/\x1b\[\d+m/g, "")).toBe(renderTable(plays, columns, terminal()));
  });

  it("draws only the header without rows", () => {
    expect(lines(renderTable([], columns, terminal()))).toHaveLength(2);
  });

  it("does not pad every line for one giant cell in a pipe", () => {
    const rows = [
      { a: "x".repeat(5000), b: "end" },
      { a: "short", b: "end" },
    ];
    const pair: ReadonlyArray<TableColumn<{ a: string; b: string }>> = [
      { key: "a", header: "A", value: (row) => row.a },
      { key: "b", header: "B", value: (row) => row.b },
    ];
    const [, , giant, short] = lines(renderTable(rows, pair, terminal({ tty: false })));
    expect(giant).toBe(`${"x".repeat(5000)}  end`);
    expect(short).toBe(`${"short".padEnd(120)}  end`);
  });

  it("draws ten thousand rows in linear time", () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => ({ ...plays[0], events: at }) as Play);
    const growth = measureGrowth(2500, (count) => {
      const drawn = lines(renderTable(rows.slice(0, count), columns, terminal()));
      expect(drawn).toHaveLength(count + 2);
    });
    expect(growth).toBeLessThan(LINEAR);
  });

  it("draws cells of 100 KB in linear time", () => {
    const growth = measureGrowth(12_500, (times) => {
      const giants = ["x", "日", "e\u0301"].map(
        (shape) => ({ ...plays[0], title: shape.repeat(times) }) as Play,
      );
      for (const line of lines(renderTable(giants, columns, terminal()))) {
        expect(stringWidth(line)).toBeLessThanOrEqual(80);
      }
    });
    expect(growth).toBeLessThan(LINEAR);
  });
});

const record = fc.record({ name: shapedText, note: shapedText, count: fc.integer() });
const wide: ReadonlyArray<TableColumn<{ name: string; note: string; count: number }>> = [
  { key: "name", header: "NAME", value: (row) => row.name, shrink: 1 },
  { key: "count", header: "COUNT", value: (row) => row.count },
  { key: "note", header: "NOTE", value: (row) => `|${row.note}|`, shrink: 2 },
];

describe("alignment", () => {
  const drawn = fc.record({
    rows: fc.array(record, { minLength: 1, maxLength: 6 }),
    width: fc.integer({ min: 34, max: 120 }),
    plain: fc.boolean(),
    color: fc.constantFrom(0 as const, 3 as const),
  });

  it("fits every line into the width, whatever the script", () => {
    fc.assert(
      fc.property(drawn, ({ rows, width, plain, color }) => {
        for (const line of lines(renderTable(rows, wide, terminal({ width, plain, color })))) {
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });

  it("starts a column at the same position in every line", () => {
    fc.assert(
      fc.property(drawn, ({ rows, width, plain }) => {
        const [header = "", ...rest] = lines(renderTable(rows, wide, terminal({ width, plain })));
        const start = header.indexOf("NOTE");
        for (const line of plain ? rest : rest.slice(1)) {
          const bar = line.indexOf("|");
          expect(stringWidth(line.slice(0, bar))).toBe(start);
        }
      }),
    );
  });

  it("contains no control characters", () => {
    const hostile: ReadonlyArray<TableColumn<{ text: string }>> = [
      { key: "text", header: "TEXT", value: (row) => row.text },
      { key: "again", header: "\x1b[2J", value: (row) => row.text, format: (value) => `<${value}>` },
    ];
    fc.assert(
      fc.property(hostileText, fc.boolean(), (text, tty) => {
        for (const width of [80, 100_000]) {
          const table = renderTable([{ text }], hostile, terminal({ tty, width }));
          expect(forbiddenIn(table, "\n\u200d")).toEqual([]);
          if (!tty || width > 80) expect(lines(table)).toHaveLength(3);
        }
      }),
    );
  });
});

describe("one record per row", () => {
  it("does not truncate long values", () => {
    const title = "Three of four testers asked where to go after the furnace";
    const columns: TableColumn<{ id: string }>[] = [
      { key: "id", header: "ID", value: (row) => row.id },
      { key: "title", header: "TITLE", value: () => title, shrink: 1 },
    ];
    const text = renderTable([{ id: "x".repeat(24) }], columns, terminal({ width: 30 }));
    expect(text.replace(/\s+/g, " ")).toContain(title);
  });
});

describe("renderDetails", () => {
  const details = [
    ["Title", "Second run"],
    ["Status", "failed", "bad"],
    ["Events", 1_234_567],
    ["Tester", null],
    ["日本", "wide label"],
    ["Summary", "Ran into the wall three times before finding the ladder.\nThen came the boss.\x07"],
  ] as const;

  it("aligns values, and wraps long text with an indent", () => {
    expect(`\n${renderDetails(details, terminal({ width: 50 }))}`).toMatchInlineSnapshot(`
      "
      Title    Second run
      Status   failed
      Events   1,234,567
      Tester   -
      日本     wide label
      Summary  Ran into the wall three times before
               finding the ladder.
               Then came the boss.\\x07
      "
    `);
  });

  it("puts values below their labels in a narrow terminal", () => {
    expect(`\n${renderDetails(details, terminal({ width: 24 }))}`).toMatchInlineSnapshot(`
      "
      Title
        Second run
      Status
        failed
      Events
        1,234,567
      Tester
        -
      日本
        wide label
      Summary
        Ran into the wall
        three times before
        finding the ladder.
        Then came the
        boss.\\x07
      "
    `);
  });

  it("does not wrap in a pipe", () => {
    expect(renderDetails(details.slice(5), terminal({ width: 20, tty: false }))).toBe(
      "Summary  Ran into the wall three times before finding the ladder.\n         Then came the boss.\\x07\n",
    );
  });

  it("colors values by their style", () => {
    expect(renderDetails(details.slice(1, 2), terminal({ color: 1 }))).toBe(
      "\x1b[2mStatus\x1b[22m  \x1b[31mfailed\x1b[39m\n",
    );
  });

  it("contains no control characters", () => {
    fc.assert(
      fc.property(hostileText, shapedText, fc.integer({ min: 24, max: 90 }), (hostile, label, width) => {
        const text = renderDetails([[label, hostile]], terminal({ width }));
        expect(forbiddenIn(text, "\n\u200d")).toEqual([]);
      }),
    );
  });
});
