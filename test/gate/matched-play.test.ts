/** Judged play: equal numbers of sessions, testers who could meet a tag, longer play, and sessions without a device. */
import { describe, expect, test } from "vitest";
import type { TesterHistory } from "../../src/contract/play-history.ts";
import { diffTags, type GateBuild } from "../../src/gate/build-comparison.ts";
import type { GateRules } from "../../src/gate/config.ts";
import { judge } from "../../src/gate/judge.ts";
import { countSessions, findMaxChanceZ, matchPlay } from "../../src/gate/matched-play.ts";
import { isPlayedLonger } from "../../src/gate/play-time.ts";
import { planTesters } from "../../src/gate/tester-plan.ts";
import { normalTail } from "../../src/statistics/normal.ts";
import { gateInput } from "./samples.ts";

interface PlayedSession {
  readonly tags?: readonly string[];
  readonly rooms?: readonly string[];
  /** Active time in each of the rooms, in seconds. Default: 60. */
  readonly roomSec?: number;
  readonly activeSec?: number;
  readonly bugReports?: number;
}

const tester = (sessions: readonly PlayedSession[], anonymous = false): TesterHistory => ({
  anonymous,
  sessions: sessions.map(({ tags = [], rooms = [], roomSec = 60, activeSec = 600, bugReports = 0 }) => ({
    activeSec,
    wallSec: activeSec * 1.25,
    bugReports,
    rooms: rooms.map((room) => ({ room, activeSec: roomSec })),
    tags: [...tags],
  })),
});

const repeat = <T>(count: number, item: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => item(at));

/** A build as the service reports it. */
function played(
  version: string,
  history: readonly TesterHistory[],
  versions: number[] | null = [2],
): GateBuild {
  const byTag = new Map<string, { testers: number; insights: number }>();
  for (const { sessions } of history)
    for (const tag of new Set(sessions.flatMap(({ tags }) => tags)))
      byTag.set(tag, { testers: (byTag.get(tag)?.testers ?? 0) + 1, insights: 1 });
  const sessions = history.reduce((sum, one) => sum + one.sessions.length, 0);
  const extras = { stats: null, history, analysisVersions: versions };
  return { version, testers: history.length, sessions, byTag, ...extras };
}

const judgeBuilds = (a: GateBuild, b: GateBuild, config: GateRules = {}) =>
  judge(gateInput(a, b, { changes: diffTags(a, b), config }));

const sizes = (testers: ReturnType<typeof matchPlay>["a"]) => testers.map(({ sessions }) => sessions.length);
const withSessions = (...counts: number[]) => counts.map((count) => tester(repeat(count, () => ({}))));

describe("matching", () => {
  test.each<[a: number[], b: number[], matched: number[][]]>([
    [
      [1, 1, 1],
      [3, 3, 3],
      [
        [1, 1, 1],
        [1, 1, 1],
      ],
    ],
    [
      [3, 3],
      [3, 3],
      [
        [3, 3],
        [3, 3],
      ],
    ],
    [
      [1, 5, 1, 1, 1, 1],
      [3, 4, 2, 3, 4, 3],
      [
        [4, 1, 1, 1, 1, 1],
        [4, 1, 1, 1, 1, 1],
      ],
    ],
    [
      [1, 1, 2, 2],
      [5, 6],
      [
        [2, 2, 1, 1],
        [2, 1],
      ],
    ],
    // These differ by chance.
    [
      [1, 4, 2],
      [3, 1, 1],
      [
        [4, 2, 1],
        [3, 1, 1],
      ],
    ],
    [[2], [], [[2], []]],
  ])("%j with %j", (a, b, matched) => {
    const play = matchPlay(withSessions(...a), withSessions(...b));
    expect([sizes(play.a), sizes(play.b)]).toEqual(matched);
  });

  test("matches although one tester has very many sessions", () => {
    const play = matchPlay(withSessions(...repeat(9, () => 1), 40), withSessions(...repeat(10, () => 3)));
    expect([sizes(play.a), sizes(play.b)]).toEqual(repeat(2, () => [3, ...repeat(9, () => 1)]));
  });

  test.each([
    [3, 50, 0.03],
    [10, 10, 0.03],
    [20, 14, 0.05],
    [24, 24, 0.1],
    [400, 300, 0.1],
  ])("tests for unequal play at a level by the smaller build: %i and %i testers, level %d", (a, b, level) => {
    expect(normalTail(findMaxChanceZ(0.03, a, b))).toBeCloseTo(level, 6);
  });

  test("keeps first sessions, and leaves out sessions without a device", () => {
    const a = repeat(3, () => tester([{ tags: ["x"] }, { tags: ["y"] }]));
    const b = [...repeat(3, () => tester([{ tags: ["z"] }])), tester([{}], true)];
    const play = matchPlay(a, b);
    expect(play.a[0]?.sessions.map(({ tags }) => tags)).toEqual([["x"]]);
    expect(countSessions(play.b)).toBe(3);
  });
});

describe("the gate", () => {
  /** In a, all play once. In b, all play three times, and half of them meet the tag in a later session. */
  const once = played(
    "a",
    repeat(20, () => tester([{ tags: ["confusion:x"] }])),
  );
  const later = played(
    "b",
    repeat(20, (at) =>
      tester([
        { tags: ["confusion:x"] },
        { tags: at < 10 ? ["confusion:y"] : [] },
        { tags: ["confusion:x"] },
      ]),
    ),
  );

  test("does not fail a build whose testers only played more", () => {
    const verdict = judgeBuilds(once, later);
    expect(verdict).toMatchObject({ verdict: "passed", b: { judgedTesters: 20, judgedSessions: 20 } });
    expect(verdict.notes).toEqual([
      "20 of 60 sessions of b are judged: the first ones of each tester, so that both builds were played equally often.",
    ]);
    const unmatched = judgeBuilds({ ...once, history: null }, { ...later, history: null });
    expect(unmatched.verdict).toBe("failed");
  });

  test("finds a regression that is hidden because the testers of b played less", () => {
    const a = played(
      "a",
      repeat(20, (at) => tester([{ tags: at < 2 ? ["confusion:x"] : [] }, { tags: ["confusion:x"] }])),
    );
    const b = played(
      "b",
      repeat(20, (at) => tester([{ tags: at < 14 ? ["confusion:x"] : [] }])),
    );
    const { verdict, findings } = judgeBuilds(a, b);
    expect(verdict).toBe("failed");
    expect(findings[0]).toMatchObject({
      kind: "got_smaller",
      status: "failed",
      found: { deltaPct: -30, judged: { kind: "got_larger", testersA: 2, testersB: 14, deltaPct: 60 } },
    });
  });

  test("judges a tag about a room among the testers who entered it", () => {
    const tag = "difficulty-spike:cave";
    const a = played(
      "a",
      repeat(30, (at) => tester([{ rooms: at < 15 ? ["cave"] : [], tags: at < 1 ? [tag] : [] }])),
    );
    const b = played(
      "b",
      repeat(30, (at) => tester([{ rooms: at < 12 ? ["cave"] : [], tags: at < 9 ? [tag] : [] }])),
    );
    expect(judgeBuilds(a, b).findings[0]?.found.judged).toMatchObject({
      testersA: 1,
      totalA: 15,
      testersB: 9,
      totalB: 12,
    });
  });

  test("judges a tag about a new room among all testers", () => {
    const tag = "difficulty-spike:cave";
    const a = played(
      "a",
      repeat(20, () => tester([{ tags: ["confusion:x"] }])),
    );
    const b = played(
      "b",
      repeat(20, (at) =>
        tester([{ rooms: ["cave"], tags: at < 12 ? ["confusion:x", tag] : ["confusion:x"] }]),
      ),
    );
    const verdict = judgeBuilds(a, b);
    expect(verdict.verdict).toBe("failed");
    expect(verdict.findings[0]?.found.judged).toMatchObject({
      testersA: 0,
      totalA: 20,
      testersB: 12,
      totalB: 20,
    });
  });

  test("does not judge sessions without a device id", () => {
    const anonymous = played(
      "b",
      repeat(50, () => tester([{ tags: ["confusion:y"] }], true)),
    );
    expect(judgeBuilds(once, anonymous)).toMatchObject({
      verdict: "inconclusive",
      reasons: [
        "build b has no testers with a device ID in production (50 sessions have no device ID, so their testers cannot be counted)",
      ],
    });
    const mixed = played("b", [...(once.history ?? []), tester([{ tags: ["confusion:y"] }], true)]);
    expect(judgeBuilds(once, mixed)).toMatchObject({
      verdict: "passed",
      b: { judgedTesters: 20, anonymousSessions: 1 },
      notes: [expect.stringMatching(/^1 session of b has no device ID\. It is not compared/)],
    });
  });

  test("does not compare analyses by different versions of the rules", () => {
    const reason = (versionsA: number[] | null, versionsB: number[] | null) =>
      judgeBuilds(
        { ...once, analysisVersions: versionsA },
        { ...once, version: "b", analysisVersions: versionsB },
      ).reasons[0];
    expect(reason([1], [2])).toMatch(
      /^the sessions were analyzed with different versions of the rules \(1 and 2\)/,
    );
    expect(reason([2], [1, 2])).toMatch(/\(1 and 2\)/);
    expect(reason(null, [2])).toMatch(/^the baseline a was saved without the version/);
    expect([reason([2], [2]), reason(null, null), reason([1], null)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("is inconclusive if even a tag that all testers meet would not be significant among all checked tags", () => {
    const tags = repeat(20, (at) => `confusion:${at}`);
    const build = (version: string, extra: readonly string[]) =>
      played(
        version,
        repeat(3, () => tester([{ tags: [...tags.slice(0, 10), ...extra] }])),
      );
    const half = { a: build("a", tags.slice(10)), b: build("b", ["confusion:new"]) };
    expect(judgeBuilds(half.a, half.b, { minTesters: 3, detectPoints: 100 })).toMatchObject({
      verdict: "inconclusive",
      reasons: [expect.stringMatching(/^3 and 3 testers are not enough: .* among 21 checked tags$/)],
    });
  });

  test("is inconclusive if it would miss a problem that affects detectPoints percent of testers", () => {
    const tags = repeat(20, (at) => `confusion:${at}`);
    const few = (version: string) =>
      played(
        version,
        repeat(10, (at) => tester([{ tags: tags.filter((_, tag) => (at + tag) % 4 === 0) }])),
      );
    const verdict = judgeBuilds(few("a"), few("b"));
    expect(verdict.verdict).toBe("inconclusive");
    expect(verdict.detection).toMatchObject({ testersB: 7, detectPoints: 40 });
    expect(verdict.reasons[0]).toMatch(
      /^with 10 and 10 testers, the probability of noticing a new problem that affects 40% of testers is only 5%: it must affect 7 of 10 to be noticed\. \d+ /,
    );
    expect(judgeBuilds(few("a"), few("b"), { detectPoints: 90 }).verdict).toBe("passed");
  });

  test("judges a large increase below 10 points by its size", () => {
    const many = (version: string, testers: number) =>
      played(
        version,
        repeat(2_000, (at) => tester([{ tags: at < testers ? ["confusion:x"] : [] }])),
      );
    const [a, b] = [many("a", 400), many("b", 590)];
    expect(judgeBuilds(a, b, { maxIncreasePoints: 5 })).toMatchObject({ verdict: "failed" });
    expect(judgeBuilds(a, b, { maxIncreasePoints: 5, failOn: ["got_larger"] }).verdict).toBe("failed");
    expect(judgeBuilds(a, b).verdict).toBe("passed");
    const off = judgeBuilds(a, b, { maxIncreasePoints: 5, kinds: { carried_over: { level: "off" } } });
    expect(off.notes).toEqual([
      "Confusion in x (confusion:x) was carried over: +9.5 percentage points, which is above its limit (+5), but the rules turn carried-over tags off.",
    ]);
  });
});

describe("limits by tester", () => {
  const crashing = (version: string, testers: number, bugReports: (at: number) => number) =>
    played(
      version,
      repeat(testers, (at) => tester([{ tags: ["confusion:x"], bugReports: bugReports(at) }])),
    );
  const config: GateRules = { limits: { bugReportsPerSession: { maxIncrease: 0.5 } } };
  const zeroLimit: GateRules = { limits: { bugReportsPerSession: { maxIncrease: 0 } } };

  test("fail if the whole interval is beyond the limit", () => {
    const a = crashing("a", 20, () => 0);
    const verdict = judgeBuilds(
      a,
      crashing("b", 20, (at) => (at % 10 === 0 ? 1 : 2)),
      config,
    );
    expect(verdict).toMatchObject({
      verdict: "failed",
      limits: [{ status: "failed", found: "rose by 1.90" }],
    });
  });

  test("do not fail if only the value is beyond the limit", () => {
    const a = crashing("a", 20, () => 0);
    const verdict = judgeBuilds(
      a,
      crashing("b", 20, (at) => (at === 0 ? 14 : 0)),
      config,
    );
    expect(verdict).toMatchObject({
      verdict: "passed",
      limits: [{ status: "noise", found: "rose by 0.70" }],
    });
    expect(verdict.limits[0]?.interval).toMatchObject({ low: "unchanged" });
  });

  test("use the significance level of one of several runs", () => {
    const a = crashing("a", 20, () => 0);
    const b = crashing("b", 20, (at) => (at % 4 === 0 ? 3 : 0));
    const statusAt = (level?: number) =>
      judge(gateInput(a, b, { changes: diffTags(a, b), config: zeroLimit, ...(level && { level }) }))
        .limits[0]?.status;
    expect([statusAt(), statusAt(0.02), statusAt(0.0001)]).toEqual(["failed", "failed", "noise"]);
  });

  test("are not checked with too few testers or different analyses, and say why", () => {
    const [few, many] = [crashing("a", 4, () => 0), crashing("a", 20, () => 0)];
    const b = crashing("b", 20, () => 9);
    const unchecked = { status: "unknown", found: "rose by 9.00" };
    expect(judgeBuilds(few, b, config).limits).toMatchObject([{ ...unchecked, reason: "too few testers" }]);
    expect(judgeBuilds({ ...many, analysisVersions: [1] }, b, config).limits).toMatchObject([
      { ...unchecked, reason: "different analyses" },
    ]);
    expect(judgeBuilds(many, b, config).limits).toMatchObject([{ status: "failed", reason: null }]);
  });
});

describe("longer play", () => {
  const times = repeat(20, (at) => 500 + at * 10);
  const doubled = times.map((time) => time * 2);

  test("counts only in build b, and only if chance does not explain it", () => {
    expect(isPlayedLonger(times, doubled)).toBe(true);
    expect(isPlayedLonger(doubled, times)).toBe(false);
    expect(
      isPlayedLonger(
        times,
        times.map((time) => time + 1),
      ),
    ).toBe(false);
    expect(isPlayedLonger([], times)).toBe(false);
  });
});

test.each([
  [40, 0.8, 22],
  [100, 0.8, 5],
])(
  "plans for a problem that affects %d percent of testers, with power %d: %i testers per build",
  (detectPoints, power, testers) => {
    expect(planTesters({ detectPoints, power })).toEqual({ testers, tags: 20 });
  },
);
