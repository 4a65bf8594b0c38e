/** The sections of a report about what changed: rows by what they show, and the sessions behind them. */
import { expect, test } from "vitest";
import type { ReportData } from "../../src/charts/report.ts";
import { judge } from "../../src/gate/judge.ts";
import { watchSection } from "../../src/render/report/advice.ts";
import type { ReportBlock, TableBlock } from "../../src/render/report/blocks.ts";
import { frictionSection } from "../../src/render/report/friction.ts";
import type { TitledRow } from "../../src/scorecard/titled-rows.ts";
import { compare, createRow, readFacts } from "../charts/scorecard-samples.ts";
import { gateInput } from "../gate/samples.ts";
import { inHall, testers } from "../scorecard/facts.ts";
import { NOW } from "./samples.ts";

const missing = { ok: false, why: "Not read.", hint: "Try again." } as const;

/** A report on these rows, each of which has two sessions. */
function createReport(rows: readonly TitledRow[]): ReportData {
  const played = readFacts(testers(20, 4, inHall));
  const session = {
    ...{ sessionId: "sess_1", insightId: null, title: null, activeSec: null },
    ...{ sessionTitle: "An evening", testerHandle: "rafa", recordedAt: NOW, duration: 90 },
  };
  const named = { ...session, insightId: "ins_1", title: "Lost for 5 minutes", activeSec: 75 };
  return {
    ...{ game: { name: "Ember Hollow", slug: "ember" }, environment: "production", generatedAt: NOW },
    verdict: judge(gateInput(rows)),
    scorecard: { ...compare(played, played), rows },
    found: { ok: true, value: rows.map(({ metric }) => ({ metric, sessions: [session, named] })) },
    ...{ consoleUrl: null, worstRoom: null },
    ...{ quotes: missing, suggested: missing, heatmap: missing, events: missing },
  };
}

const listBlocks = (rows: readonly TitledRow[]) => frictionSection(createReport(rows)).blocks;

const findTable = (blocks: readonly ReportBlock[]): TableBlock => {
  const table = blocks.find((block) => block.kind === "table");
  if (table === undefined) throw new Error("The section has no table");
  return table;
};

const tag = (at: number, facts: Partial<TitledRow> = {}) =>
  createRow({ subject: `confusion:room-${at}`, title: `Confusion in room-${at}`, ...facts });

test("groups all rows by what they show, with what the gate says about each", () => {
  const { groups } = findTable(
    listBlocks([
      tag(1),
      tag(2, { status: "better", difference: -0.5 }),
      tag(3, { status: "unclear", pValue: 0.5 }),
      tag(4, { status: "ruled out", difference: 0.01 }),
      tag(5, { status: "not comparable", reason: "nobody in a", difference: null }),
    ]),
  );
  expect(groups.map(({ title, mood, rows }) => [title, mood, rows.map((cells) => cells[4]?.text)])).toEqual([
    ["Worse (1)", "bad", ["failed"]],
    ["Better (1)", "good", ["passed"]],
    ["Unclear (1)", "neutral", ["passed"]],
    ["Ruled out (1)", "neutral", ["passed"]],
    ["Not comparable (1)", "neutral", ["not comparable"]],
  ]);
  expect(groups[0]?.rows[0]?.map(({ text, under }) => [text, under])).toEqual([
    ["Confusion in room-1", "confusion:room-1"],
    ["1/10 → 6/10", undefined],
    ["+50 pts", undefined],
    ["+10 to +80", undefined],
    ["failed", undefined],
  ]);
});

test("has no ratings and completed rooms, which have a section of their own", () => {
  const blocks = listBlocks([
    tag(1),
    createRow({ id: "rating:end/fun", name: "rating", unit: "points", worse: "less" }),
    createRow({ id: "completion:hall", name: "completion", worse: "less", decides: false }),
  ]);
  expect(findTable(blocks).groups.flatMap(({ rows }) => rows)).toHaveLength(1);
  expect(listBlocks([]).map(({ kind }) => kind)).toEqual(["text"]);
});

test("lists the sessions behind rows, of at most 8", () => {
  const list = (count: number) => {
    const rows = Array.from({ length: count }, (_, at) => tag(at, { metric: `friction:${at}` }));
    return findTable(watchSection(createReport(rows), "UTC").blocks).groups;
  };
  const [first] = list(1);
  expect([first?.title, first?.mood]).toEqual(["Confusion in room-0", "bad"]);
  expect(first?.rows.map((cells) => cells.map(({ text, under }) => [text, under].join("|")))).toEqual([
    ["Confusion in room-0|", "An evening (rafa)|sess_1", "2026-03-10 12:00|", "1m 30s|"],
    ["Lost for 5 minutes, after 1m 15s of play|", "An evening (rafa)|sess_1", "2026-03-10 12:00|", "1m 30s|"],
  ]);
  expect(list(11).map(({ title }) => title)).toEqual(
    Array.from({ length: 8 }, (_, at) => `Confusion in room-${at}`),
  );
});

test("shows at most 40 rows of a group, and says so", () => {
  const { groups } = findTable(listBlocks(Array.from({ length: 41 }, (_, at) => tag(at))));
  expect(groups.map(({ title, rows }) => [title, rows.length])).toEqual([["Worse (41, 40 largest)", 40]]);
});
