/** A tag about the answers to a question is judged among the testers who answered it. */
import { describe, expect, test } from "vitest";
import { frictionChart, frictionView } from "../../src/charts/friction.ts";
import { testChanges } from "../../src/charts/tested-changes.ts";
import type { BuildComparison } from "../../src/contract/builds.ts";
import type { SessionHistory, TesterHistory } from "../../src/contract/play-history.ts";
import { diffTags, type GateBuild } from "../../src/gate/build-comparison.ts";
import { judge } from "../../src/gate/judge.ts";
import { describeMethod, explainResults } from "../../src/render/gate/words.ts";
import { gateInput } from "./samples.ts";

const TESTERS = 20;
const TAG = "negative-moment:feedback-fun";

/** A build with 20 testers, of whom some answered the question, and some of these were unhappy. */
function answered(version: string, answers: number, unhappy: number, isKnown = true) {
  const history = Array.from({ length: TESTERS }, (_, at): TesterHistory => {
    const session: SessionHistory = {
      ...{ activeSec: 600, wallSec: 900, bugReports: 0, rooms: [] },
      ...(isKnown ? { questions: at < answers ? ["fun"] : [] } : {}),
      tags: [...(at < unhappy ? [TAG] : []), ...(at < 4 ? ["confusion:menu"] : [])],
    };
    return { anonymous: false, sessions: [session] };
  });
  const byTag = new Map([["confusion:menu", { testers: 4, insights: 4 }]]);
  if (unhappy > 0) byTag.set(TAG, { testers: unhappy, insights: unhappy });
  const extras = { stats: null, history, analysisVersions: [2] };
  return { version, testers: TESTERS, sessions: TESTERS, byTag, ...extras };
}

const judgeBuilds = (a: GateBuild, b: GateBuild) => judge(gateInput(a, b, { changes: diffTags(a, b) }));

describe("unhappy answers", () => {
  test("do not count as more because more testers answered", () => {
    const verdict = judgeBuilds(answered("1", 12, 6), answered("2", 20, 10));
    expect([verdict.verdict, verdict.findings[0]?.found.judged]).toMatchObject([
      "passed",
      { testersA: 6, totalA: 12, testersB: 10, totalB: 20, deltaPct: 0 },
    ]);
  });

  test("fail the gate if more of those who answered are unhappy", () => {
    const verdict = judgeBuilds(answered("1", 18, 2), answered("2", 18, 15));
    expect([verdict.verdict, verdict.findings[0]?.found.judged]).toMatchObject([
      "failed",
      { testersA: 2, totalA: 18, testersB: 15, totalB: 18 },
    ]);
  });

  test("to a question that nobody answered before are no increase", () => {
    const verdict = judgeBuilds(answered("1", 0, 0), answered("2", 18, 15));
    expect([verdict.verdict, verdict.judged, verdict.findings[0]]).toMatchObject([
      "passed",
      1,
      { status: "unsure", found: { adjustedP: null, judged: { totalA: 0, testersB: 15, totalB: 18 } } },
    ]);
    expect(explainResults(verdict, [])).toContain(
      "Not judged: nobody in one of the builds answered the question.",
    );
  });

  test("make the gate inconclusive if too few testers answered to judge what looks like an increase", () => {
    const verdict = judgeBuilds(answered("1", 3, 1), answered("2", 20, 14));
    expect([verdict.verdict, verdict.reasons]).toEqual([
      "inconclusive",
      [
        "too few testers answered the question (3 of 20 in 1) to judge Unhappy answers (form field: fun) (negative-moment:feedback-fun), which 1 of 20 testers had in 1 and 14 of 20 in 2",
      ],
    ]);
  });

  test("are judged among all testers if a build does not report who answered", () => {
    const old = judgeBuilds(answered("1", 8, 6, false), answered("2", 15, 15));
    expect(describeMethod(old).join()).not.toContain("answered the question");
    const known = judgeBuilds(answered("1", 8, 6), answered("2", 15, 15));
    expect(describeMethod(known).join()).toContain("answered the question");
    const { findings } = judgeBuilds(answered("1", 8, 6, false), answered("2", 20, 15));
    expect(findings[0]?.found.judged).toMatchObject({ testersA: 6, totalA: 20, testersB: 15, totalB: 20 });
  });
});

test("a comparison does not test answers to a question that only one build has", () => {
  const [a, b] = [answered("1", 0, 0), answered("2", 18, 15)];
  const toCompared = ({ version, testers }: GateBuild) => ({ version, testersInBatch: testers, byTag: [] });
  const change = { tag: TAG, kind: "introduced" as const, deltaPct: 75, testersA: 0, testersB: 15 };
  const comparison = {
    buildA: toCompared(a),
    buildB: toCompared(b),
    diff: { changes: [{ ...change, testersExposedA: 0, testersExposedB: 18 }] },
  } as unknown as BuildComparison;
  for (const history of [{ a: a.history, b: b.history }, "unsupported"] as const) {
    const tested = testChanges(comparison, history);
    expect(tested.changes[0]).toMatchObject({ result: "untested", pValue: null });
    const { groups } = frictionChart(
      frictionView({ ...comparison, game: { name: "g" } } as BuildComparison, tested),
    );
    // The difference among all testers would contradict the counts.
    expect(groups).toMatchObject([
      {
        title: "Not tested: no tester of one build reached the room or the question",
        rows: [{ value: null, details: ["0 of 0", "15 of 18", null, null] }],
      },
    ]);
  }
});
