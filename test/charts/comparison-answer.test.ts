/** The answer of a comparison and the tests behind it, if it is not known what each tester played: exact cases. */
import { describe, expect, test } from "vitest";
import { answerComparison } from "../../src/charts/comparison-answer.ts";
import { describeChange } from "../../src/charts/friction.ts";
import { testChanges } from "../../src/charts/tested-changes.ts";
import type { BuildComparison, ComparedBuild } from "../../src/contract/builds.ts";

interface TagRow {
  readonly tag: string;
  readonly a: number;
  readonly b: number;
  /** Testers who could meet the tag; null if the service does not report them. */
  readonly exposed?: readonly [number, number] | null;
}

interface Builds {
  readonly testers: readonly [number, number];
  readonly a?: Partial<ComparedBuild>;
  readonly b?: Partial<ComparedBuild>;
}

function createComparison(rows: readonly TagRow[], { testers, a, b }: Builds): BuildComparison {
  const [testersA, testersB] = testers;
  return {
    game: { id: "g", userId: "u", name: "Ember", slug: "ember", createdAt: 0 },
    environment: "production",
    buildA: { version: "1", testersInBatch: testersA, sessionCount: testersA, ...a },
    buildB: { version: "2", testersInBatch: testersB, sessionCount: testersB, ...b },
    diff: {
      changes: rows.map(({ tag, a: inA, b: inB, exposed = testers }) => ({
        kind: inB === 0 ? "resolved" : inA === 0 ? "introduced" : "got_larger",
        tag,
        deltaPct: 0,
        testersA: inA,
        testersB: inB,
        ...(exposed === null ? {} : { testersExposedA: exposed[0], testersExposedB: exposed[1] }),
      })),
      totals: { resolved: 0, gotSmaller: 0, carriedOver: 0, gotLarger: 0, introduced: 0 },
    },
  };
}

const TAG = "difficulty-spike:furnace";
const testReported = (comparison: BuildComparison) => testChanges(comparison, "unsupported");
const answerReported = (comparison: BuildComparison) =>
  answerComparison(comparison, testReported(comparison));
const testOne = (row: Omit<TagRow, "tag">, builds: Builds) =>
  testReported(createComparison([{ tag: TAG, ...row }], builds)).changes[0];

test("builds whose sessions were analyzed with different versions of the rules are not judged", () => {
  const comparison = (versionsB: readonly number[]) =>
    createComparison([{ tag: TAG, a: 1, b: 12 }], {
      testers: [23, 22],
      a: { analysisVersions: [1] },
      b: { analysisVersions: [...versionsB] },
    });
  expect(testReported(comparison([1])).changes).toMatchObject([{ result: "worse" }]);
  for (const versionsB of [[2], [1, 2]]) {
    const tested = testReported(comparison(versionsB));
    expect(tested.changes).toMatchObject([{ result: "untested", pValue: null, interval: null }]);
    expect(answerComparison(comparison(versionsB), tested)).toMatchObject({
      verdict: "unclear",
      sentences: [
        "It is not known whether 2 is better or worse than 1 (23 testers of 1, 22 testers of 2): the sessions were analyzed with different versions of the rules (1 and 2). Compare them again when the older analyses are redone.",
        expect.stringContaining("longer play can look like a change"),
      ],
    });
  }
});

describe("the test of a change", () => {
  test.each<[string, Omit<TagRow, "tag">, string]>([
    ["a clear increase", { a: 1, b: 12 }, "worse"],
    ["a clear decrease", { a: 12, b: 1 }, "better"],
    ["one tester fewer", { a: 1, b: 0 }, "unclear"],
    ["one tester more", { a: 0, b: 1 }, "unclear"],
    ["the same share", { a: 5, b: 5 }, "unclear"],
  ])("of %s", (_, row, result) => {
    expect(testOne(row, { testers: [23, 22] })?.result).toBe(result);
  });

  test("is symmetric: swapped builds have the same p-value and the opposite interval", () => {
    const one = testOne({ a: 2, b: 9 }, { testers: [20, 25] });
    const other = testOne({ a: 9, b: 2 }, { testers: [25, 20] });
    expect(one?.pValue).toBeCloseTo(other?.pValue ?? 0, 12);
    expect(one?.interval?.low).toBeCloseTo(-(other?.interval?.high ?? 0), 9);
  });

  test("counts only testers who could meet the tag", () => {
    const exposed = testOne({ a: 1, b: 0, exposed: [1, 4] }, { testers: [23, 22] });
    expect([exposed?.exposedA, exposed?.exposedB, exposed?.difference]).toEqual([1, 4, -100]);
    expect(exposed?.result).toBe("unclear");
  });

  test("counts all testers in a room that only b has", () => {
    const change = testOne({ a: 0, b: 12, exposed: [0, 15] }, { testers: [23, 22] });
    expect([change?.exposedA, change?.exposedB, change?.result]).toEqual([23, 22, "worse"]);
  });

  test("does not test a tag if no tester of b entered its room", () => {
    const change = testOne({ a: 20, b: 0, exposed: [23, 0] }, { testers: [23, 22] });
    expect([change?.difference, change?.interval, change?.pValue, change?.result]).toEqual([
      null,
      null,
      null,
      "untested",
    ]);
  });

  test("uses all testers if the service does not report who could meet a tag", () => {
    const comparison = createComparison([{ tag: TAG, a: 1, b: 12, exposed: null }], { testers: [23, 22] });
    const { basis, changes } = testReported(comparison);
    expect([basis, changes[0]?.exposedA, changes[0]?.exposedB]).toEqual(["all", 23, 22]);
    expect(answerReported(comparison).sentences.join(" ")).toContain("so shares are of all testers");
  });

  test("is corrected for the number of tags", () => {
    const row = { a: 4, b: 11 };
    expect(testOne(row, { testers: [23, 22] })?.result).toBe("worse");
    const many = Array.from({ length: 10 }, (_, at) => ({ tag: `stuck-point:${at}`, ...row }));
    const { changes } = testReported(createComparison(many, { testers: [23, 22] }));
    expect(new Set(changes.map(({ result }) => result))).toEqual(new Set(["unclear"]));
  });

  test("does not call an increase worse if the testers of b played more, nor a decrease better if those of a did", () => {
    const more = { sessionCount: 40 };
    const increase = { a: 1, b: 12 };
    const decrease = { a: 12, b: 1 };
    const testers = [23, 22] as const;
    expect(testOne(increase, { testers, b: more })?.result).toBe("unequal");
    expect(testOne(decrease, { testers, b: more })?.result).toBe("better");
    expect(testOne(increase, { testers, a: more })?.result).toBe("worse");
    expect(testOne(decrease, { testers, a: more })?.result).toBe("unequal");
  });

  test("does not treat sessions without a device as independent testers", () => {
    const b = { testersWithoutDevice: 3 };
    expect(testOne({ a: 1, b: 12 }, { testers: [23, 22], b })?.result).toBe("unequal");
    expect(testOne({ a: 1, b: 12 }, { testers: [23, 22], b: { testersWithoutDevice: 2 } })?.result).toBe(
      "worse",
    );
  });
});

test("a tag that only one tester had before is not seen again, but not resolved", () => {
  const change = testOne({ a: 1, b: 0 }, { testers: [23, 22] });
  expect(change && describeChange(change)).toBe("not seen again (1 of 23 before)");
});

describe("the smallest problem that would be noticed", () => {
  test.each<[testers: readonly [number, number], number | null]>([
    [[23, 22], 4],
    [[3, 3], null],
    [[4, 4], 4],
    [[0, 5], null],
    [[1000, 1000], 6],
  ])("with testers %j", (testers, smallest) => {
    expect(testReported(createComparison([], { testers })).findSmallestVisible()).toBe(smallest);
  });

  test("grows with the number of tags", () => {
    const rows = Array.from({ length: 20 }, (_, at) => ({ tag: `stuck-point:${at}`, a: 5, b: 5 }));
    expect(testReported(createComparison(rows, { testers: [23, 22] })).findSmallestVisible()).toBe(7);
  });
});

describe("the answer", () => {
  const answer = (rows: readonly TagRow[], builds: Partial<Builds> = {}) =>
    answerReported(createComparison(rows, { testers: [23, 22], ...builds }));

  test("names the problems that got worse and better", () => {
    const rows = [
      { tag: TAG, a: 1, b: 12, exposed: [20, 19] as const },
      { tag: "confusion:menu", a: 14, b: 1 },
    ];
    expect(answer(rows)).toMatchInlineSnapshot(`
      {
        "sentences": [
          "2 is worse than 1 in some ways and better in others (23 testers of 1, 22 testers of 2).",
          "More testers have: Difficulty spike in furnace (1 of 20 in 1, 12 of 19 in 2).",
          "Fewer testers have: Confusion in menu (14 of 23 in 1, 1 of 22 in 2).",
          "This service does not report what each tester played, so all sessions count, and longer play can look like a change.",
        ],
        "verdict": "mixed",
      }
    `);
    expect(answer(rows.slice(0, 1)).verdict).toBe("worse");
    expect(answer(rows.slice(1)).verdict).toBe("better");
  });

  test("reports how large a noticeable problem is if nothing is clear", () => {
    expect(answer([{ tag: TAG, a: 1, b: 0 }])).toMatchInlineSnapshot(`
      {
        "sentences": [
          "It is not clear whether 2 is better or worse than 1 (23 testers of 1, 22 testers of 2): no difference is larger than chance.",
          "A new problem must affect at least 4 of the 22 testers of 2 to be noticed.",
          "This service does not report what each tester played, so all sessions count, and longer play can look like a change.",
        ],
        "verdict": "unclear",
      }
    `);
    const few = answer([{ tag: TAG, a: 0, b: 2 }], { testers: [2, 2] }).sentences;
    expect(few[1]).toBe(
      "With so few testers, even a new problem that all testers of 2 have could be chance.",
    );
  });

  test("reports ratings and completed rooms, and unequal play", () => {
    const createOutcomes = (mean: number, testers: number, roomsCompleted: number) => ({
      completion: { roomsEntered: 50, roomsCompleted },
      ratings: [{ formId: "f", fieldId: "fun", label: "Was it fun?", testers, mean }],
      rooms: [],
    });
    const builds = {
      a: { outcomes: createOutcomes(3.94, 12, 40) },
      b: { outcomes: createOutcomes(3.4, 1, 30), sessionCount: 44 },
    };
    expect(answer([], builds).sentences).toMatchInlineSnapshot(`
      [
        "No friction in either build.",
        "A new problem must affect at least 4 of the 22 testers of 2 to be noticed.",
        "This service does not report what each tester played, so all sessions count, and longer play can look like a change.",
        "Testers of 2 played more sessions (1.0 each in 1, 2.0 in 2), which alone can explain increases, so increases do not count.",
        "Average rating of “Was it fun?”: 3.9 in 1 (12 testers), 3.4 in 2 (1 tester).",
        "Testers completed 40 of 50 rooms they entered in 1 and 30 of 50 in 2.",
      ]
    `);
  });

  test("does not call a build without analyzed sessions one without friction", () => {
    expect(answer([], { b: { analysisVersions: [] } }).sentences[0]).toBe(
      "It is not known yet whether there is friction: no session of 2 has been analyzed.",
    );
  });
});
