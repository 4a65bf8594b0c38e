/** What a scorecard says: its answer, its scope, the order of its rows, those to watch, and what limits it. */
import { describe, expect, it } from "vitest";
import {
  answerScorecard,
  describeAnswer,
  describeChange,
  describeOutcomes,
  describeScope,
  formatDifference,
  formatRange,
  formatSides,
  type ScorecardView,
  selectShown,
} from "../../src/charts/scorecard.ts";
import { scorecardChart } from "../../src/charts/scorecard-chart.ts";
import type { BuildComparison } from "../../src/contract/builds.ts";
import type { UnknownFacts } from "../../src/contract/scorecard.ts";
import type { ReadFacts } from "../../src/scorecard/facts.ts";
import { isWatched, rankRows } from "../../src/scorecard/titled-rows.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { inHall as quitInHall, room, session, tester, testers } from "../scorecard/facts.ts";
import {
  change,
  compare,
  createRow,
  inFurnace,
  inHall,
  readFacts,
  viewDiff,
  withTag,
} from "./scorecard-samples.ts";

const hall = (total: number, quits: number) => readFacts(testers(total, quits, quitInHall));
const tagged = (total: number, count: number) =>
  readFacts(testers(total, count, withTag("pacing-issue:idle")));
const find = ({ rows }: ScorecardView, id: string) =>
  rows.find((row) => row.id === id) ?? createRow({ id: "none" });

describe("the answer", () => {
  it.each<[string, ReadFacts, ReadFacts, string, string]>([
    ["worse", hall(22, 2), hall(23, 11), "worse", "2.0 vs 1.0: worse in 1 way"],
    ["better", hall(23, 11), hall(22, 2), "better", "2.0 vs 1.0: better in 1 way"],
    ["equal", hall(20, 4), hall(20, 4), "unclear", "2.0 vs 1.0: no clear difference"],
  ])("of a build that is %s", (_, a, b, answer, line) => {
    const view = compare(a, b);
    expect(answerScorecard(view)).toBe(answer);
    expect(describeAnswer(view)).toBe(line);
  });

  it("counts what is worse and what is better", () => {
    const play = (total: number, quits: number, spikes: number) =>
      readFacts(
        testers(total, quits, (quit, at) => {
          const [first = session()] = quitInHall(quit).sessions;
          // Those with the tag are the last testers.
          const tags = at >= total - spikes ? [{ tag: "pacing-issue:idle", afterSec: 30 }] : [];
          return tester([{ ...first, tags }]);
        }),
      );
    const view = compare(play(40, 2, 30), play(40, 25, 1));
    expect(view.rows.filter(({ decides, status }) => decides && status === "worse")).toHaveLength(1);
    expect(answerScorecard(view)).toBe("mixed");
    expect(describeAnswer(view)).toBe("2.0 vs 1.0: worse in 1 way, better in 1");
  });

  it("counts a quit once, although fewer complete the room as well", () => {
    const view = compare(hall(22, 2), hall(23, 11));
    const worse = view.rows.filter(({ status }) => status === "worse").map(({ id }) => id);
    expect(new Set(worse)).toEqual(new Set(["quit:hall", "completion:hall"]));
    expect(describeAnswer(view)).toContain("worse in 1 way");
  });

  it.each([
    [hall(0, 0), hall(3, 1), "production", "1.0 has no testers in production"],
    [hall(3, 1), hall(0, 0), "staging", "2.0 has no testers in staging"],
    [hall(0, 0), hall(0, 0), "all", "1.0 and 2.0 have no testers in any environment"],
  ])("says who has no testers", (a, b, environment, why) => {
    expect(describeAnswer(compare(a, b, [], environment))).toBe(`2.0 vs 1.0: nothing to compare, ${why}`);
  });

  it.each([
    [hall(1, 0), hall(1, 0), "1 and 1"],
    [hall(4, 0), hall(20, 4), "20 and 4"],
    [hall(200, 0), hall(4, 4), "4 and 200"],
  ])("has too few testers below the minimum of the gate", (a, b, counts) => {
    const view = compare(a, b);
    expect(answerScorecard(view)).toBe("inconclusive");
    expect(describeAnswer(view)).toBe(`2.0 vs 1.0: too few testers to compare: ${counts}, 5 needed`);
  });

  it("says that nothing can be compared if that is so", () => {
    const view = compare(hall(5, 1), hall(5, 1));
    const rows = [createRow({ status: "not comparable", reason: "sessions are timed" })];
    expect(describeAnswer({ ...view, rows })).toBe("2.0 vs 1.0: nothing that can be compared");
  });
});

it("names game, environment and testers as its scope", () => {
  expect(describeScope(compare(hall(20, 2), hall(22, 2)))).toBe("ember · production · 20 → 22 testers");
  expect(describeScope(compare(hall(1, 0), hall(0, 0), [], "all"))).toBe(
    "ember · all environments · 1 → 0 testers",
  );
});

describe("rows", () => {
  it("are sorted by what matters most: worse, better, to watch, unclear, ruled out, not comparable", () => {
    const unclear = { status: "unclear", pValue: 0.5 } as const;
    const ordered = [
      createRow({ id: "worse" }),
      createRow({ id: "worse, but less", difference: 0.2 }),
      // A new room has no difference: its share counts.
      createRow({
        id: "worse in a new room",
        isNewRoom: true,
        difference: null,
        b: { total: 9, count: 1, value: 0.1 },
      }),
      createRow({ id: "better", status: "better", difference: -0.9 }),
      createRow({ id: "to watch", status: "unclear", pValue: 0.04, difference: 0.1 }),
      createRow({ id: "unclear", ...unclear, difference: -0.4 }),
      createRow({ id: "unclear, but less", ...unclear, difference: 0.3 }),
      // Half a point of the five of a rating.
      createRow({
        id: "rating",
        ...unclear,
        name: "rating",
        unit: "points",
        worse: "less",
        difference: -0.5,
      }),
      createRow({ id: "time", ...unclear, name: "active-time", unit: "sec", worse: null, difference: 600 }),
      createRow({ id: "ruled out", status: "ruled out", difference: -0.3 }),
      createRow({ id: "not comparable", status: "not comparable", reason: "nobody in a", difference: null }),
    ];
    const sorted = rankRows(ordered.toReversed());
    expect(sorted.map(({ id }) => id)).toEqual(ordered.map(({ id }) => id));
  });

  const few = "room is new, and few entered it";
  const newRoom = { isNewRoom: true, limit: 0.4, difference: null, pValue: null } as const;
  const share = (count: number) => ({ total: 10, count, value: count / 10 });
  it.each<[boolean, string, Parameters<typeof createRow>[0]]>([
    [true, "would be worse if it were the only row", { status: "unclear", pValue: 0.05 }],
    [false, "would not", { status: "unclear", pValue: 0.051 }],
    [false, "would be better", { status: "unclear", pValue: 0.01, difference: -0.5 }],
    [
      true,
      "is rated lower",
      { status: "unclear", unit: "points", worse: "less", difference: -1, pValue: 0.01 },
    ],
    [
      false,
      "is rated higher",
      { status: "unclear", unit: "points", worse: "less", difference: 1, pValue: 0.01 },
    ],
    [false, "takes longer, which is neither", { status: "unclear", unit: "sec", worse: null, pValue: 0.01 }],
    [false, "is worse", { status: "worse" }],
    [false, "is ruled out", { status: "ruled out", pValue: 0.01 }],
    [true, "is above the limit of a new room", { ...newRoom, status: "unclear", b: share(5) }],
    [false, "is at the limit of a new room", { ...newRoom, status: "unclear", b: share(4) }],
    [
      true,
      "is met in a new room that few entered",
      { ...newRoom, status: "not comparable", reason: few, b: share(1) },
    ],
    [false, "is not met there", { ...newRoom, status: "not comparable", reason: few, b: share(0) }],
    [false, "is not comparable", { status: "not comparable", reason: "nobody in a" }],
    [
      false,
      "is completed less, as its quits say",
      { name: "completion", worse: "less", status: "unclear", difference: -0.4 },
    ],
  ])("are watched (%s) if a row %s", (watched, _, facts) => {
    expect(isWatched(createRow(facts))).toBe(watched);
  });

  it("are shown if they are worse, better or to watch", () => {
    const rows = [
      createRow({ id: "worse" }),
      createRow({ id: "better", status: "better" }),
      createRow({ id: "watched", status: "unclear", pValue: 0.04 }),
      createRow({ id: "unclear", status: "unclear", pValue: 0.5 }),
      createRow({ id: "ruled out", status: "ruled out" }),
    ];
    const view = { ...compare(hall(5, 1), hall(5, 1)), rows };
    expect(selectShown(view).map(({ id }) => id)).toEqual(["worse", "better", "watched"]);
    expect(selectShown({ ...view, isTested: false })).toEqual(rows);
    for (const side of ["a", "b"] as const)
      expect(selectShown({ ...view, isTested: false, [side]: { ...view[side], testers: 0 } })).toEqual([]);
  });

  it("have the words of the service, and its kind of change", () => {
    const changes = [change("pacing-issue:idle", { kind: "got_larger", title: "Waiting in “the hall”" })];
    const row = find(compare(tagged(20, 1), tagged(20, 12), changes), "pacing-issue:idle");
    expect(row).toMatchObject({ title: "Waiting in “the hall”", kind: "got_larger", status: "worse" });
    const view = compare(hall(20, 2), hall(20, 2));
    expect(find(view, "quit:hall")).toMatchObject({ title: "Quit in hall", kind: null });
    expect(find(view, "crash").title).toBe("Had a crash");
  });

  it("about answers have the label of their field", () => {
    const rated = (value: number) =>
      tester([session({ answers: [{ field: "end/fun", kind: "rating", value }] })]);
    const fields = [{ field: "end/fun", formName: "End", label: "Was it fun?" }];
    const rate = (value: number) =>
      readFacts(
        testers(8, 0, () => rated(value)),
        { fields },
      );
    const view = compare(rate(4), rate(2));
    expect(find(view, "rating:end/fun")).toMatchObject({ title: "Rating of “Was it fun?”", status: "worse" });
    expect(describeOutcomes(view)).toEqual(["Rating of “Was it fun?” 4.0 → 2.0"]);
    const agree = (count: number) =>
      readFacts(
        testers(8, count, (says) =>
          tester([session({ answers: [{ field: "end/fun", kind: "yes-no", value: says ? 1 : 0 }] })]),
        ),
        { fields },
      );
    const answered = find(compare(agree(8), agree(1)), "yes:end/fun");
    expect(answered).toMatchObject({ title: "Yes to “Was it fun?”", status: "worse" });
    expect(formatSides(answered)).toBe("8/8 → 1/8");
  });
});

describe("a room that 1.0 does not have", () => {
  it("is judged alone, against the share that is allowed in it", () => {
    const row = find(compare(readFacts(inHall()), readFacts(inFurnace(10, 9))), "quit:furnace");
    expect([row.status, formatSides(row), describeChange(row)]).toEqual([
      ...["worse", "9/10 new testers", "new room, limit 40%"],
    ]);
    expect(formatRange(row)).toMatch(/^\d+% or more$/);
    expect(Number.parseInt(formatRange(row) ?? "", 10)).toBeGreaterThanOrEqual(40);
  });

  it("is watched if it may be above that share, or if too few entered it", () => {
    const unsure = find(compare(readFacts(inHall()), readFacts(inFurnace(10, 5))), "quit:furnace");
    expect([unsure.status, describeChange(unsure)]).toEqual(["unclear", "new room, may be chance"]);
    const few = find(compare(readFacts(inHall()), readFacts(inFurnace(4, 3))), "quit:furnace");
    expect([few.status, formatSides(few), describeChange(few)]).toEqual([
      ...["not comparable", "3/4 new testers", "new room, too few to judge"],
    ]);
    expect(isWatched(few)).toBe(true);
  });

  it("is not judged if nobody of 1.0 got that far", () => {
    const stuck = readFacts(testers(10, 0, () => tester([session({ rooms: [room("hall")] })])));
    const row = find(compare(stuck, readFacts(inFurnace(10, 9))), "quit:furnace");
    expect([row.status, describeChange(row), isWatched(row)]).toEqual([
      ...["not comparable", "nobody got that far before", true],
    ]);
  });

  it("leads the answer if it is worse", () => {
    const view = compare(readFacts(inHall()), readFacts(inFurnace(10, 9)));
    expect(describeAnswer(view)).toBe("2.0 vs 1.0: worse in 1 way");
    expect(view.rows[0]?.id).toBe("quit:furnace");
  });
});

describe("numbers", () => {
  it.each([
    ["share", { difference: 0.526 }, "+53 pts"],
    ["share", { difference: -0.596 }, "-60 pts"],
    ["share", { difference: 0.004 }, "0 pts"],
    ["share", { difference: -0.004 }, "0 pts"],
    ["points", { difference: 0.96 }, "+1"],
    ["points", { difference: -0.04 }, "0"],
    ["sec", { difference: 150 }, "+3m"],
    ["sec", { difference: -42.4 }, "-42s"],
    ["sec", { difference: 0 }, "0s"],
    ["share", { difference: null }, null],
  ] as const)("of a difference in %s: %j", (unit, facts, text) => {
    expect(formatDifference(createRow({ unit, ...facts }))).toBe(text);
  });

  it.each([
    ["share", { low: 0.185, high: 0.734 }, "+19 to +73"],
    ["share", { low: -0.201, high: 0.001 }, "-20 to 0"],
    ["points", { low: -0.84, high: 0.86 }, "-0.8 to +0.9"],
    ["sec", { low: -15, high: 250 }, "-15s to +4m"],
    ["share", null, null],
  ] as const)("of a range in %s: %j", (unit, range, text) => {
    expect(formatRange(createRow({ unit, range }))).toBe(text);
  });

  it("of both sides name a side without testers", () => {
    const nobody = { total: 0, count: 0, value: null };
    expect(formatSides(createRow())).toBe("1/10 → 6/10");
    expect(formatSides(createRow(), "to")).toBe("1/10 to 6/10");
    expect(formatSides(createRow({ a: nobody }))).toBe("nobody → 6/10");
    expect(formatSides(createRow({ a: nobody, b: nobody }))).toBe("");
    const means = { a: { total: 3, count: null, value: 2.44 }, b: { total: 2, count: null, value: 90 } };
    expect(formatSides(createRow({ unit: "points", ...means, b: means.a }))).toBe("2.4 → 2.4");
    expect(formatSides(createRow({ unit: "sec", ...means }))).toBe("2s → 2m");
  });

  it("of completed rooms are those of all rooms", () => {
    const play = (completes: number) =>
      readFacts(
        testers(4, completes, (completed) =>
          tester([session({ rooms: [room("hall", { completed: true }), room("attic", { completed })] })]),
        ),
      );
    // 4 and 1 of 8, and 4 and 3 of 8.
    expect(describeOutcomes(compare(play(1), play(3)))).toEqual(["rooms completed 63% → 88%"]);
  });

  it("is that of the rooms of both builds, so that a new room changes nothing", () => {
    const rows = ["hall", "attic", "cellar"].map((name, at) => {
      const side = (total: number, count: number) => ({ total, count, value: total ? count / total : null });
      return createRow({
        ...{ id: `completion:${name}`, name: "completion", subject: name, worse: "less" },
        ...{ a: side(at === 1 ? 0 : 10, at === 1 ? 0 : 5), b: side(at === 2 ? 0 : 10, at === 0 ? 6 : 10) },
      });
    });
    expect(describeOutcomes({ rows })).toEqual(["shared rooms completed 50% → 60%"]);
  });

  it("is not said of builds in which nobody completed a room, as of games without an event that means success", () => {
    const side = { total: 10, count: 0, value: 0 };
    const row = createRow({
      ...{ id: "completion:hall", name: "completion", subject: "hall" },
      a: side,
      b: side,
    });
    expect(describeOutcomes({ rows: [row] })).toEqual([]);
  });
});

describe("a service that has only the document", () => {
  const body = responseBodies.compareBuilds as BuildComparison;
  const changes = [
    change("stuck-point:hall", { deltaPct: 5, title: "Stuck in the hall" }),
    change("confusion:door", { deltaPct: -40, kind: "resolved" }),
  ];
  const comparison = { ...body, diff: { ...body.diff, changes } };

  it("has its changes as rows that are not tested, the largest first", () => {
    const view = viewDiff(comparison, "unsupported");
    expect([view.isTested, view.scorecard, describeAnswer(view)]).toEqual([
      ...[false, null, "0.9.0 vs 0.8.0: not tested"],
    ]);
    expect(view.rows.map(({ id, title, kind, status }) => [id, title, kind, status])).toEqual([
      ["confusion:door", "confusion:door", "resolved", "unclear"],
      ["stuck-point:hall", "Stuck in the hall", "introduced", "unclear"],
    ]);
    expect(view.rows.map((row) => [formatSides(row), describeChange(row), formatRange(row)])).toEqual([
      ["", "-40 pts", null],
      ["", "+5 pts", null],
    ]);
    expect(selectShown(view)).toHaveLength(2);
  });

  it.each<[UnknownFacts, string]>([
    ["unsupported", "This service does not report what each tester did, so nothing is tested."],
    ["invalid", "The service’s response about what each tester did is invalid, so nothing is tested."],
    ["forbidden", "This key may not read what each tester did, so nothing is tested."],
    ["too-many", "The builds have too many testers to read what each of them did, so nothing is tested."],
  ])("says why: %s", (unknown, note) => {
    expect(viewDiff(comparison, unknown).notes).toEqual([note]);
  });

  it("counts the testers that the service reports", () => {
    const view = viewDiff(comparison, "unsupported");
    expect([view.a, view.b]).toEqual(
      ["0.8.0", "0.9.0"].map((version) => ({ version, testers: 4, ended: null, analyzed: null })),
    );
  });
});

describe("notes", () => {
  const play = testers(12, 3, quitInHall);
  const notesOf = (more: Partial<ReadFacts>) => compare(readFacts(play), readFacts(play, more)).notes;

  it("are none if all sessions are compared", () => {
    expect(notesOf({})).toEqual([]);
  });

  it("count the sessions that are not compared, or of which not everything is known", () => {
    const sessions = { open: 2, analyzed: 6, unanalyzed: 3, failed: 1 };
    const failure = "Too many events. Retry it.";
    expect(notesOf({ sessions: { ...sessions, failure }, anonymousSessions: 4 })).toEqual([
      "3 of 10 sessions of 2.0 are not analyzed yet.",
      "1 session of 2.0 could not be analyzed: Too many events. Retry it.",
      "2 sessions of 2.0 still receive events and are left out.",
      "4 sessions of 2.0 have no device ID and are left out.",
    ]);
    expect(
      notesOf({ sessions: { ...sessions, open: 1, unanalyzed: 0, failed: 0 }, anonymousSessions: 1 }),
    ).toEqual([
      "1 session of 2.0 still receives events and is left out.",
      "1 session of 2.0 has no device ID and is left out.",
    ]);
  });

  it("count sessions as they ended: with and without an analysis", () => {
    const sessions = { open: 2, analyzed: 6, unanalyzed: 3, failed: 1 };
    expect(compare(readFacts(play), readFacts(play, { sessions })).b).toEqual({
      ...{ version: "2.0", testers: 12, ended: 10, analyzed: 6 },
    });
  });

  const named = (from: number, to: number, quits: number, isReturning: boolean | null) =>
    testers(to - from, quits, (quit, at) => ({
      ...quitInHall(quit),
      ...{ tester: `tester-${from + at}`, isReturning },
    }));

  it("warn that newcomers alone can look like a change", () => {
    const { notes } = compare(readFacts(named(0, 20, 2, true)), readFacts(named(20, 40, 4, false)));
    expect(notes).toEqual(["New testers: 0% and 100%. Newcomers alone can look like a change."]);
  });

  it("say that only testers of both builds are compared", () => {
    const b = [...named(0, 10, 0, true), ...named(20, 30, 10, false)];
    const { notes } = compare(readFacts(named(0, 20, 0, true)), readFacts(b));
    expect(notes).toEqual(["Only the 10 testers of both builds are compared, with themselves."]);
  });

  it("say which rows are better only because of practice", () => {
    const view = compare(readFacts(named(0, 20, 18, null)), readFacts(named(0, 20, 2, null)));
    const note = "Better only for testers of both builds, who have practice: quit:hall.";
    expect(view.notes).toContain(note);
    const others = compare(readFacts(named(0, 20, 18, null)), readFacts(named(20, 40, 2, null)));
    expect(others.notes).not.toContain(note);
  });
});

describe("the chart", () => {
  it("has the shares in percentage points, grouped by what they show", () => {
    const view = compare(readFacts(inHall()), readFacts(inFurnace(10, 9)));
    const rows = [
      ...view.rows.filter(({ id }) => id === "quit:furnace"),
      createRow({ id: "better", status: "better", difference: -0.4, restsOnPractice: true }),
      createRow({ id: "ruled out", status: "ruled out", difference: 0.01 }),
      createRow({ id: "gone", status: "not comparable", reason: "room is gone", difference: null }),
      createRow({ id: "rating", name: "rating", unit: "points", worse: "less" }),
      createRow({ id: "completion", name: "completion", worse: "less" }),
    ];
    const chart = scorecardChart({ ...view, rows });
    expect(
      chart.groups.map(({ title, mood, rows: bars }) => [
        ...[title, mood],
        bars.map(({ label, value }) => [label, value]),
      ]),
    ).toEqual([
      ["Worse", "bad", [["Quit in furnace", 90]]],
      ["Better", "good", [["Stuck", -40]]],
      ["Ruled out", "neutral", [["Stuck", 1]]],
    ]);
    expect(chart.note).toBe(
      "ember · production · 10 → 10 testers. In rooms that are new in 2.0, only testers who had not played 1.0 count.",
    );
  });
});
