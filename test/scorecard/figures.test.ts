/** The figures of single groups are those of comparisons. */
import { describe, expect, test } from "vitest";
import type { GroupFacts, SessionFacts } from "../../src/scorecard/facts.ts";
import { keepRow, measureGroups, parseRowId } from "../../src/scorecard/figures.ts";
import { METRICS } from "../../src/scorecard/metrics.ts";
import { computeScorecard } from "../../src/scorecard/scorecard.ts";
import { group, OPTIONS, room, session, tester } from "./facts.ts";

const SPIKE = "difficulty-spike:pit";

/** Six testers, of whom some quit, crash, answer, or play a session that is not analyzed. */
const play = (seed: number): GroupFacts =>
  group(
    Array.from({ length: 6 }, (_, at) => {
      const first: Partial<SessionFacts> = {
        rooms: [
          room("lobby", { failed: false, quit: at === 5, gaveUp: false }),
          ...(at < 5 ? [room("pit", { quit: at < seed, completed: at >= seed })] : []),
        ],
        tags: at < seed ? [{ tag: SPIKE, afterSec: 30 }] : [],
        crashed: at === 3,
        questions: at < 4 ? ["fun"] : [],
        answers: at < 4 ? [{ field: "survey/fun", kind: "rating", value: 1 + at }] : [],
        performance: {
          platform: "windows",
          rooms: [{ room: "hall", frames: [0, 0, 500, 10 * at], memoryMb: 400 + at, loadMs: 900 + at }],
        },
      };
      const next = session({ analyzed: false, startSec: 90_000 });
      return tester([session(first), ...(at % 2 === 0 ? [next] : [])], `t${seed}-${at}`);
    }),
  );

const listIds = ({ testers }: GroupFacts) =>
  computeScorecard({ ...play(2), testers }, { ...play(2), testers }, OPTIONS).rows;

const measure = (groups: readonly GroupFacts[]) => measureGroups(groups, METRICS);

describe("a figure", () => {
  test("is what a comparison of the group shows", () => {
    const [figures = []] = measure([play(2)]);
    const rows = listIds(play(2));
    expect(rows.length).toBeGreaterThan(METRICS.length);
    expect(
      figures.map(({ metric, subject, total, count, value }) => [metric.name, subject, total, count, value]),
    ).toEqual(
      rows
        .toSorted((x, y) => figures.findIndex(isRow(x)) - figures.findIndex(isRow(y)))
        .map(({ name, subject, a }) => [name, subject, a.total, a.count, a.value]),
    );
  });

  test("does not change if only its row is kept of the facts", () => {
    const groups = [play(2), play(4)];
    for (const { name, subject, metric } of listIds(play(2))) {
      const row = parseRowId(metric);
      expect([row.metric.name, row.subject]).toEqual([name, subject]);
      const kept = groups.map(({ testers }) => ({ testers: keepRow(testers, row) }));
      const pick = (all: ReturnType<typeof measure>) => all.map((own) => own.find(isRow({ name, subject })));
      expect(pick(measureGroups(kept, [row.metric]))).toEqual(pick(measure(groups)));
    }
  });

  test("of a room keeps the performance in that room only", () => {
    const rooms = ["hall", "pit", null].map((name) => ({
      ...{ room: name, frames: [], memoryMb: 400, loadMs: null },
    }));
    const one = tester([session({ performance: { platform: "windows", rooms } })]);
    const keep = (id: string) =>
      keepRow([one], parseRowId(id))[0]?.sessions[0]?.performance?.rooms.map((kept) => kept.room);
    expect(["memory:pit", "memory:hall@windows", "memory:@windows", "memory"].map(keep)).toEqual([
      ...[["pit"], ["hall"], [null], [null]],
    ]);
  });

  test("of a rating is the mean of the latest answers of the testers", () => {
    const answer = (...values: number[]) =>
      session({ answers: values.map((value) => ({ field: "survey/fun", kind: "rating", value })) });
    const players = [
      tester([answer(5, 4), answer(1)], "t1"),
      tester([answer(2)], "t2"),
      tester([answer()], "t3"),
    ];
    const [figures = []] = measure([group(players)]);
    expect(figures.find(isRow({ name: "rating", subject: "survey/fun" }))).toMatchObject({
      total: 2,
      value: 1.5,
    });
  });

  test("of a tag counts nobody in a group in which nobody entered its room", () => {
    const elsewhere = group([tester([session({ rooms: [room("hall")] })])]);
    const [before = []] = measure([elsewhere, play(2)]);
    expect(before.find(isRow({ name: "friction", subject: SPIKE }))).toMatchObject({ total: 0, value: null });
  });
});

const isRow =
  ({ name, subject }: { readonly name: string; readonly subject: string | null }) =>
  (figure: { readonly metric: { readonly name: string }; readonly subject: string | null }) =>
    figure.metric.name === name && figure.subject === subject;

test("a row is named by its tag, with or without the name of its metric", () => {
  const name = (id: string) => {
    const { metric, subject } = parseRowId(id);
    return [metric.name, subject];
  };
  expect(
    [SPIKE, `friction:${SPIKE}`, "quit:pit", "return:day-1", "crash", "rating:form/fun"].map(name),
  ).toEqual([
    ["friction", SPIKE],
    ["friction", SPIKE],
    ["quit", "pit"],
    ["return:day-1", null],
    ["crash", null],
    ["rating", "form/fun"],
  ]);
});
