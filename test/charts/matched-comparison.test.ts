/** A comparison of builds given what each tester played: equal play, both directions, and agreement with the gate. */
import { describe, expect, test } from "vitest";
import { answerComparison } from "../../src/charts/comparison-answer.ts";
import { isIncreaseForGate, SIGNIFICANCE, testChanges } from "../../src/charts/tested-changes.ts";
import type { BuildComparison } from "../../src/contract/builds.ts";
import type { TesterHistory } from "../../src/contract/play-history.ts";
import { toTagChanges } from "../../src/gate/build-comparison.ts";
import { judge } from "../../src/gate/judge.ts";
import { diffFriction } from "../../src/shared/friction-diff.ts";
import { gateInput } from "../gate/samples.ts";
import fc from "../property.ts";

interface PlayedSession {
  readonly tags?: readonly string[];
  readonly rooms?: readonly string[];
  readonly activeSec?: number;
}

const TAG = "confusion:x";

const tester = (...sessions: readonly PlayedSession[]): TesterHistory => ({
  anonymous: false,
  sessions: sessions.map(({ tags = [], rooms = [], activeSec = 600 }) => ({
    activeSec,
    wallSec: activeSec,
    bugReports: 0,
    rooms: rooms.map((room) => ({ room, activeSec: 0 })),
    tags: [...tags],
  })),
});

const repeat = <T>(count: number, item: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => item(at));

/** Testers with these tags in their only session. */
const withTags = (count: number, withTag: number, session: PlayedSession = {}) =>
  repeat(count, (at) => tester({ ...session, tags: at < withTag ? [TAG] : [] }));

/** The response of a service for the builds 1 and 2. */
function compare(a: readonly TesterHistory[], b: readonly TesterHistory[]): BuildComparison {
  const count = (testers: readonly TesterHistory[]) => {
    const tags = new Map<string, number>();
    for (const { sessions } of testers)
      for (const tag of new Set(sessions.flatMap((session) => session.tags)))
        tags.set(tag, (tags.get(tag) ?? 0) + 1);
    return { testers: testers.length, byTag: [...tags].map(([tag, number]) => ({ tag, testers: number })) };
  };
  return {
    game: { id: "g", userId: "u", name: "Ember", slug: "ember", createdAt: 0 },
    environment: "production",
    buildA: { version: "1", testersInBatch: a.length },
    buildB: { version: "2", testersInBatch: b.length },
    diff: diffFriction(count(a), count(b)),
  };
}

const testPlayed = (a: readonly TesterHistory[], b: readonly TesterHistory[]) =>
  testChanges(compare(a, b), { a, b });

function judgePlayed(a: readonly TesterHistory[], b: readonly TesterHistory[]) {
  const toBuild = (version: string, history: readonly TesterHistory[]) => ({
    version,
    testers: history.length,
    sessions: null,
    byTag: null,
    stats: null,
    history,
    analysisVersions: [1],
  });
  const config = { detectPoints: 100, minTesters: 1, maxIncreasePoints: 0 };
  return judge(gateInput(toBuild("1", a), toBuild("2", b), { changes: toTagChanges(compare(a, b)), config }));
}

describe("unequal numbers of sessions", () => {
  /** 20 testers who meet the tag in the sessions with these numbers. */
  const meetingIn = (sessions: number, ...meeting: readonly number[]) =>
    repeat(20, () => tester(...repeat(sessions, (at) => ({ tags: meeting.includes(at) ? [TAG] : [] }))));

  test("do not make equal builds look worse or better", () => {
    const once = meetingIn(1);
    const often = meetingIn(3, 1, 2);
    const note = (version: string) =>
      `Testers of ${version} played more sessions, so only the first sessions of each tester count (20 of 60 in ${version}).`;
    expect(testPlayed(once, often)).toMatchObject({
      changes: [{ testersA: 0, testersB: 0, result: "unclear" }],
      notes: [note("2")],
    });
    expect(testPlayed(often, once)).toMatchObject({
      changes: [{ testersA: 0, testersB: 0, result: "unclear" }],
      notes: [note("1")],
    });
  });

  test("do not hide a regression, nor an improvement", () => {
    const once = meetingIn(1, 0);
    const often = meetingIn(3, 1);
    expect(testPlayed(often, once).changes).toMatchObject([{ kind: "carried_over", result: "worse" }]);
    expect(testPlayed(once, often).changes).toMatchObject([{ kind: "carried_over", result: "better" }]);
  });
});

describe("longer play", () => {
  const shorter = withTags(30, 6, { activeSec: 300 });
  const longer = (withTag: number) => withTags(30, withTag, { activeSec: 1200 });

  test("explains an increase in b, or a decrease from a", () => {
    const increase = testPlayed(shorter, longer(17));
    expect(increase.changes).toMatchObject([{ result: "unequal" }]);
    expect(increase.notes).toEqual([
      "Testers of 2 played 4.0 times as long, so an increase counts only if the longer play does not explain it.",
    ]);
    const decrease = testPlayed(longer(17), shorter);
    expect(decrease.changes).toMatchObject([{ result: "unequal" }]);
    expect(decrease.notes).toEqual([
      "Testers of 1 played 4.0 times as long, so a decrease counts only if the longer play does not explain it.",
    ]);
    expect(decrease.changes[0]?.pValue).toBeCloseTo(increase.changes[0]?.pValue ?? 0, 9);
    const comparison = compare(shorter, longer(17));
    expect(answerComparison(comparison, increase).sentences[0]).toMatch(
      /no difference is larger than what chance and unequal play explain\.$/,
    );
  });

  test("does not explain a larger increase, nor a change in the other direction", () => {
    expect(testPlayed(shorter, longer(30)).changes[0]?.result).toBe("worse");
    expect(testPlayed(longer(30), shorter).changes[0]?.result).toBe("better");
    expect(testPlayed(withTags(30, 20, { activeSec: 300 }), longer(4)).changes[0]?.result).toBe("better");
    expect(testPlayed(longer(4), withTags(30, 20, { activeSec: 300 })).changes[0]?.result).toBe("worse");
  });
});

test("a history that lacks testers with a tag does not hide it", () => {
  const [a, b] = [withTags(20, 0), withTags(20, 15)];
  for (const incomplete of [withTags(20, 1), withTags(19, 15)]) {
    const { changes, notes } = testChanges(compare(a, b), { a, b: incomplete });
    expect(changes).toMatchObject([{ testersB: 15, result: "worse" }]);
    expect(notes[0]).toMatch(
      /^The service’s response about what each tester played is invalid or incomplete, so /,
    );
  }
});

test("a build without any active time is not called many times longer or shorter", () => {
  const idle = withTags(20, 2, { activeSec: 0 });
  for (const notes of [testPlayed(idle, withTags(20, 2)).notes, testPlayed(withTags(20, 2), idle).notes])
    expect(notes.join(" ")).not.toMatch(/times as long/);
});

test("sessions without a device ID are left out", () => {
  const anonymous = repeat(10, () => ({ ...tester({ tags: [TAG] }), anonymous: true }));
  const { changes, testersB, notes } = testPlayed(withTags(20, 0), [...withTags(20, 0), ...anonymous]);
  expect(changes).toMatchObject([{ testersB: 0, exposedB: 20, result: "unclear" }]);
  expect(testersB).toBe(20);
  expect(notes).toEqual([
    expect.stringMatching(/^10 sessions of 2 have no device ID\. They are not compared/),
  ]);
});

test("a problem in a room that nobody in b entered is not tested", () => {
  const tag = "difficulty-spike:cave";
  const a = repeat(20, () => tester({ rooms: ["cave"], tags: [tag] }));
  expect(testPlayed(a, withTags(20, 0)).changes).toMatchObject([{ result: "untested", pValue: null }]);
  expect(testPlayed(withTags(20, 0), a).changes).toMatchObject([{ result: "worse", exposedA: 20 }]);
});

test("an increase that only the one-sided test of the gate finds is named", () => {
  const [a, b] = [withTags(20, 2), withTags(20, 8)];
  const tested = testPlayed(a, b);
  expect(tested.changes).toMatchObject([{ result: "unclear" }]);
  expect(tested.changes[0]?.pValue).toBeGreaterThan(SIGNIFICANCE);
  expect(judgePlayed(a, b).findings).toMatchObject([{ tag: TAG, status: "failed" }]);
  expect(answerComparison(compare(a, b), tested).sentences).toContain(
    "Larger than chance only if decreases are not tested, as in the gate: Confusion in x (2 of 20 in 1, 8 of 20 in 2).",
  );
});

describe("for any play of both builds", () => {
  const session = fc.record({
    activeSec: fc.integer({ min: 1, max: 3000 }),
    rooms: fc.subarray(["cave", "hall"]),
    tags: fc.subarray([TAG, "difficulty-spike:cave", "stuck-point:hall", "confusion:y"]),
  });
  const oneTester = fc
    .tuple(fc.array(session, { minLength: 1, maxLength: 4 }), fc.integer({ min: 0, max: 9 }))
    .map(([sessions, anonymous]) => ({ ...tester(...sessions), anonymous: anonymous === 0 }));
  /** A build whose testers are copies of a few, so that differences are often significant. */
  const build = fc
    .tuple(fc.array(oneTester, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 6 }))
    .map(([testers, copies]) =>
      repeat(testers.length * copies, (at) => testers[at % testers.length] ?? tester()),
    );

  test("a tag that the gate fails is worse, or named as an increase for the gate", () => {
    fc.assert(
      fc.property(build, build, (a, b) => {
        const { changes } = testPlayed(a, b);
        for (const { tag, status, found } of judgePlayed(a, b).findings) {
          const change = changes.find((other) => other.tag === tag);
          if (found.judged && change?.pValue != null) {
            const { testersA, totalA, testersB, totalB } = found.judged;
            expect(change).toMatchObject({ testersA, exposedA: totalA, testersB, exposedB: totalB });
          }
          if (status === "failed")
            expect(change?.result === "worse" || (change && isIncreaseForGate(change))).toBe(true);
          // The two-sided test is never less strict, apart from tags that cannot be tested at all.
          if (change?.result === "worse" && changes.every(({ result }) => result !== "untested"))
            expect(status).toBe("failed");
        }
      }),
      { numRuns: 300 },
    );
  });

  test("swapped builds have the same p-values and opposite results", () => {
    const opposite = { worse: "better", better: "worse", unclear: "unclear", unequal: "unequal" };
    fc.assert(
      fc.property(build, build, (a, b) => {
        const swapped = new Map(testPlayed(b, a).changes.map((change) => [change.tag, change]));
        const { changes } = testPlayed(a, b);
        // A room that only one build has is not tested in one of the directions.
        if ([...changes, ...swapped.values()].some(({ result }) => result === "untested")) return;
        for (const { tag, pValue, result } of changes) {
          expect(swapped.get(tag)?.pValue).toBeCloseTo(pValue ?? Number.NaN, 9);
          expect(result === "untested" ? result : opposite[result]).toBe(swapped.get(tag)?.result);
        }
      }),
      { numRuns: 200 },
    );
  });
});
