/** Charts in the terminal and as SVG: content, width, and escaping of hostile text. */

import { describe, expect, test } from "vitest";
import type { Bars, Chart, Intervals, Series } from "../../src/charts/charts.ts";
import { renderIntervals } from "../../src/render/charts/rows.ts";
import { renderSeries, sparkline } from "../../src/render/charts/series.ts";
import { describeChart } from "../../src/render/charts/values.ts";
import { chartsFile } from "../../src/render/svg/charts.ts";
import { displayWidth } from "../../src/render/text.ts";
import fc from "../property.ts";
import { forbiddenIn, hostileText, terminal } from "./samples.ts";
import { xmlFaultsOf } from "./well-formed.ts";

const seriesOf = (values: readonly (number | null)[], more: Partial<Series> = {}): Series => ({
  kind: "series",
  title: "Events by day",
  note: "All of them.",
  unit: "count",
  each: "day",
  missing: "no sessions",
  points: values.map((value, at) => ({ label: `2026-03-${String((at % 28) + 1).padStart(2, "0")}`, value })),
  ...more,
});

const bars: Bars = {
  kind: "bars",
  title: "Ember: 1 to 2",
  note: "Shares.",
  unit: "points",
  labels: "Tag",
  columns: ["in 1", "in 2"],
  groups: [
    {
      title: "Introduced",
      mood: "bad",
      rows: [{ label: "t:x", value: 40, mood: "bad", details: ["0 of 5", "2 of 5"] }],
    },
    {
      title: "Resolved",
      mood: "good",
      rows: [{ label: "t:long-tag", value: -10, mood: "good", details: [null, "0 of 5"] }],
    },
  ],
};

const intervals: Intervals = {
  kind: "intervals",
  title: "exp_1: players who came back",
  note: "With intervals.",
  unit: "share",
  labels: "Variant",
  columns: ["players"],
  groups: [
    {
      title: "Day 1",
      mood: "neutral",
      rows: [
        { label: "control", value: 0.25, interval: { low: 0, high: 0.5 }, details: ["5 of 20"] },
        { label: "bright", value: null, interval: null, details: [null] },
      ],
    },
  ],
};

describe("in the terminal", () => {
  test("a label that is too wide continues on further lines, so that labels with the same beginning differ", () => {
    const rows = ["“Anything else about the music?”", "“Anything else about the story?”"].map((question) => ({
      label: `Unhappy answers to ${question}`,
      value: null,
      interval: null,
      details: ["11 of 22"],
    }));
    const group = { title: "Worse", mood: "bad" } as const;
    expect(
      renderIntervals({ ...intervals, groups: [{ ...group, rows }] }, terminal({ width: 52 })),
    ).toMatchInlineSnapshot(`
      "exp_1: players who came back
      With intervals.

      VARIANT                              SHARE   PLAYERS
      ───────────────────────────────────  ─────  ────────

      Worse
      Unhappy answers to “Anything else        -  11 of 22
      about the music?”
      Unhappy answers to “Anything else        -  11 of 22
      about the story?”
      "
    `);
    const endless = [{ ...rows[0], label: "word ".repeat(50) }] as typeof rows;
    const text = renderIntervals(
      { ...intervals, groups: [{ ...group, rows: endless }] },
      terminal({ width: 52 }),
    );
    expect(text.split("\n").filter((line) => line.startsWith("word"))).toHaveLength(3);
    expect(text).toContain("…");
  });

  test("a series distinguishes missing data from 0, and incomplete periods from complete ones", () => {
    const points = [
      { label: "mon", value: 8 },
      { label: "tue", value: 0 },
      { label: "wed", value: null },
      { label: "thu", value: 4, open: true },
    ];
    expect(renderSeries(seriesOf([], { points }), terminal({ width: 30 }))).toMatchInlineSnapshot(`
      "Events by day
      All of them.

      8 ┤█████
        │█████
      6 ┤█████
        │█████
      4 ┤█████             ░░░░░
        │█████             ░░░░░
      2 ┤█████             ░░░░░
        │█████       ·     ░░░░░
      0 └────────────────────────
         mon   tue   wed   thu
      · no sessions   ░ not over yet
      "
    `);
  });

  test("a series is a sentence and a table for a screen reader", () => {
    expect(renderSeries(seriesOf([3, null, 0]), terminal({ plain: true }))).toMatchInlineSnapshot(`
      "Events by day
      All of them.

      3 days, 2026-03-01 to 2026-03-03; maximum 3 (2026-03-01); minimum 0
      (2026-03-03); no sessions in 1 day.
      DAY               COUNT
      2026-03-01            3
      2026-03-02  no sessions
      2026-03-03            0
      "
    `);
  });

  test("intervals share one scale", () => {
    expect(renderIntervals(intervals, terminal())).toMatchInlineSnapshot(`
      "exp_1: players who came back
      With intervals.

      VARIANT                  SHARE  PLAYERS  SCALE 0–50.0%
      ───────  ─────────────────────  ───────  ────────────────────────

      Day 1
      control  25.0% (0.0% to 50.0%)  5 of 20  ────────────●───────────
      bright                       -        -
      "
    `);
    expect(renderIntervals(intervals, terminal({ plain: true }))).not.toMatch(/[●─]/);
  });

  test("a sparkline distinguishes 0, missing data and other values", () => {
    expect(sparkline(seriesOf([0, null, 1, 8]), 9, { plain: false })).toBe("_·▁█");
    expect(sparkline(seriesOf([0, null, 1, 8]), 2, { plain: false })).toBe("_█");
  });

  test("series fit the width for any values", () => {
    const value = fc.option(fc.oneof(fc.nat(20), fc.double({ min: 0, max: 1e12, noNaN: true })));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 200 }), fc.integer({ min: 40, max: 200 }), (values, width) => {
        for (const unit of ["count", "seconds"] as const) {
          const lines = renderSeries(seriesOf(values, { unit }), terminal({ width })).split("\n");
          expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});

/** One chart of each kind, with this text in every field. */
const chartsWithText = (text: string): Chart[] => [
  seriesOf([1, null], {
    title: text,
    missing: text,
    points: [
      { label: text, value: 1 },
      { label: "b", value: null },
    ],
  }),
  {
    ...bars,
    title: text,
    columns: [text, text],
    groups: [
      { title: text, mood: "bad", rows: [{ label: text, value: 1, mood: "bad", details: [text, null] }] },
    ],
  },
  {
    ...intervals,
    groups: [
      { title: text, mood: "neutral", rows: [{ label: text, value: 0.5, interval: null, details: [text] }] },
    ],
  },
];

describe("hostile text", () => {
  test("never reaches the terminal unescaped", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const [series, , shares] = chartsWithText(text);
        if (series?.kind !== "series" || shares?.kind !== "intervals") throw new Error();
        for (const options of [terminal(), terminal({ plain: true })]) {
          const out = renderSeries(series, options) + renderIntervals(shares, options);
          expect(forbiddenIn(out, "\n")).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("is escaped in SVG, which is well-formed and has no scripts or external resources", async () => {
    const texts = fc.sample(hostileText, { numRuns: 30, seed: 7 });
    const drawn: string[] = [];
    for (const text of [...texts, "<script>alert(1)</script>", `"/><a href="javascript:1">`, "&#x202e;]]>"]) {
      const svg = chartsFile(chartsWithText(text));
      expect(forbiddenIn(svg, "\n")).toEqual([]);
      const names = [...svg.matchAll(/<([a-zA-Z]+)/g)].map(([, name]) => name);
      expect(new Set(names)).toEqual(new Set(names.filter((name) => ALLOWED.includes(name ?? ""))));
      expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
        /<[^>]*(\son\w+=|href=|url\()/,
      );
      drawn.push(svg);
    }
    expect(await xmlFaultsOf(drawn)).toEqual([]);
  });
});

const ALLOWED = ["svg", "title", "desc", "style", "rect", "g", "text", "line", "circle"];

describe("as SVG", () => {
  test("is reproducible", () => {
    expect(chartsFile([bars, intervals])).toBe(chartsFile([bars, intervals]));
  });

  test("has a description and a dark mode", () => {
    const svg = chartsFile([bars]);
    expect(svg).toContain(
      '<desc id="desc">Ember: 1 to 2: Introduced, t:x: +40.0; Resolved, t:long-tag: -10.0.</desc>',
    );
    expect(svg).toContain("prefers-color-scheme:dark");
    expect(describeChart(seriesOf([5, null, 2]))).toBe(
      "3 days, 2026-03-01 to 2026-03-03; maximum 5 (2026-03-01); minimum 2 (2026-03-03); no sessions in 1 day.",
    );
  });

  test('shows empty charts as "No data."', () => {
    expect(chartsFile([seriesOf([]), { ...bars, groups: [] }, { ...intervals, groups: [] }])).toContain(
      "No data.",
    );
  });
});
