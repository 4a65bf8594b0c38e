/** The section of a report about what changed: rows by what they show, and evidence for those that increased. */
import { expect, test } from "vitest";
import type { ReportData } from "../../src/charts/report.ts";
import { judge } from "../../src/gate/judge.ts";
import type { ReportBlock, TableBlock } from "../../src/render/report/blocks.ts";
import { frictionSection } from "../../src/render/report/friction.ts";
import type { TitledRow } from "../../src/scorecard/titled-rows.ts";
import { compare, createRow, readFacts } from "../charts/scorecard-samples.ts";
import { gateInput } from "../gate/samples.ts";
import { inHall, testers } from "../scorecard/facts.ts";
import { NOW } from "./samples.ts";

const missing = { ok: false, why: "Not read.", hint: "Try again." } as const;

/** The blocks of the section about these rows, each of which has one insight. */
function listBlocks(rows: readonly TitledRow[], isCut = false): readonly ReportBlock[] {
  const played = readFacts(testers(20, 4, inHall));
  const data: ReportData = {
    ...{ game: { name: "Ember Hollow", slug: "ember" }, environment: "production", generatedAt: NOW },
    verdict: judge(gateInput(rows)),
    scorecard: { ...compare(played, played), rows },
    found: {
      ok: true,
      value: {
        tags: rows.map(({ id }) => ({
          tag: id,
          count: 1,
          findings: [{ title: id, sessionIds: ["sess_1"] }],
        })),
        ...{ watch: [], isCut },
      },
    },
    ...{ quotes: missing, suggested: missing, heatmap: missing, builds: missing, events: missing },
  };
  return frictionSection(data).blocks;
}

const listHeadings = (blocks: readonly ReportBlock[]) =>
  blocks.flatMap((block) => (block.kind === "heading" ? [block.text] : []));

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

test("lists the evidence of tags that increased, at most 8, in the order of the rows", () => {
  const shown = listHeadings(
    listBlocks([
      tag(1),
      tag(2, { status: "better", difference: -0.5 }),
      tag(3, { status: "unclear", pValue: 0.5, difference: 0.1 }),
      tag(4, { status: "unclear", isNewRoom: true, difference: null }),
      createRow({ id: "quit:hall", name: "quit", family: "quits", metric: "quit:hall" }),
    ]),
  );
  expect(shown).toEqual([1, 3, 4].map((at) => `Confusion in room-${at} (1 insight)`));
  const many = listHeadings(listBlocks(Array.from({ length: 11 }, (_, at) => tag(at))));
  expect(many).toEqual(Array.from({ length: 8 }, (_, at) => `Confusion in room-${at} (1 insight)`));
});

test("shows at most 40 rows of a group, and says so", () => {
  const { groups } = findTable(listBlocks(Array.from({ length: 41 }, (_, at) => tag(at))));
  expect(groups.map(({ title, rows }) => [title, rows.length])).toEqual([["Worse (41, 40 largest)", 40]]);
});

test("says if not all insights were read", () => {
  const note = "Only the newest sessions and insights of the build were read.";
  const hasNote = (isCut: boolean) =>
    listBlocks([tag(1)], isCut).some((block) => block.kind === "note" && block.text === note);
  expect([hasNote(true), hasNote(false)]).toEqual([true, false]);
});
