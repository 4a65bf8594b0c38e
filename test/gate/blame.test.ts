/** The first build in which a tag rose, by the test of the gate. */
import { describe, expect, test } from "vitest";
import type { TesterHistory } from "../../src/contract/play-history.ts";
import { blameTag } from "../../src/gate/blame.ts";
import type { GateBuild } from "../../src/gate/build-comparison.ts";
import { diffTags } from "../../src/gate/build-comparison.ts";
import { judge } from "../../src/gate/judge.ts";
import { gateInput } from "./samples.ts";

const TAG = "difficulty-spike:pit";

/** A build whose testers all entered the pit, some of them with the tag. */
function build(version: string, withTag: number, testers = 30, analysisVersions = [2]): GateBuild {
  const history = Array.from({ length: testers }, (_, at): TesterHistory => {
    const rooms = [{ room: "pit", activeSec: 60 }];
    const tags = at < withTag ? [TAG] : [];
    return {
      anonymous: false,
      sessions: [{ activeSec: 600, wallSec: 900, bugReports: 0, rooms, questions: [], tags }],
    };
  });
  const byTag = new Map(withTag > 0 ? [[TAG, { testers: withTag, insights: withTag }]] : []);
  return { version, testers, sessions: testers, byTag, stats: null, history, analysisVersions };
}

/** A build in which nobody entered the pit. */
function outside(version: string): GateBuild {
  const { history, ...rest } = build(version, 0);
  const testers = (history ?? []).map((tester) => ({
    ...tester,
    sessions: tester.sessions.map((session) => ({ ...session, rooms: [] })),
  }));
  return { ...rest, history: testers };
}

const builds = (...counts: number[]) => counts.map((count, at) => build(String(at + 1), count));
const summarize = (all: readonly GateBuild[]) => {
  const { verdict, build, since } = blameTag(TAG, all, {});
  return [verdict, since, build];
};

describe("a tag", () => {
  test("rose in the first build in which the increase is significant", () => {
    expect(summarize(builds(2, 3, 20, 21))).toEqual(["rose", "2", "3"]);
    // It fell and rose again: the first rise counts.
    expect(summarize(builds(0, 20, 0, 20))).toEqual(["rose", "1", "2"]);
  });

  test("rose gradually if no single build shows it", () => {
    expect(summarize(builds(1, 6, 11, 16))).toEqual(["gradual", "1", "3"]);
  });

  test("did not rise if it stays within chance, or falls", () => {
    expect(summarize(builds(5, 7, 4, 6))).toEqual(["not_shown", null, null]);
    expect(summarize(builds(25, 3, 1))).toEqual(["not_shown", null, null]);
  });

  test("has the uncorrected p-value of the gate in each comparison", () => {
    const [a, b] = builds(3, 20);
    if (!a || !b) throw new Error("no builds");
    const [step] = blameTag(TAG, [a, b], {}).steps;
    const [finding] = judge(gateInput(a, b, { changes: diffTags(a, b) })).findings;
    expect([step?.p, step?.counts]).toEqual([
      finding?.found.p,
      expect.objectContaining({ testersA: 3, totalA: 30, testersB: 20, totalB: 30 }),
    ]);
    expect([step?.rose, finding?.status]).toEqual([true, "failed"]);
  });

  test("is corrected for the number of comparisons", () => {
    const [alone] = blameTag(TAG, builds(2, 9), {}).steps;
    const steps = blameTag(TAG, builds(2, 9, 9, 9, 9, 9), {}).steps;
    expect(alone?.p).toBeCloseTo(steps[0]?.p ?? 0, 12);
    expect(steps).toHaveLength(9);
    expect(steps[0]?.adjustedP).toBeGreaterThan(3 * (alone?.adjustedP ?? 1));
  });

  test("must rise by more than the limit of the gate", () => {
    const [a, b] = [build("1", 0, 1000), build("2", 80, 1000)];
    expect(summarize([a, b])).toEqual(["not_shown", null, null]);
    expect(blameTag(TAG, [a, b], { maxIncreasePoints: 5 }).verdict).toBe("rose");
  });

  test("is not compared in builds with few testers or other rules", () => {
    const few = [build("1", 0), build("2", 4, 4), build("3", 20)];
    expect(blameTag(TAG, few, {})).toMatchObject({
      ...{ verdict: "rose", since: "1", build: "3" },
      skipped: [{ build: "2", reason: "4 testers with a device ID; at least 5 are required" }],
    });
    expect(blameTag(TAG, [build("1", 0, 30, [1]), build("2", 20)], {})).toMatchObject({
      verdict: "not_comparable",
      skipped: [{ build: "1", reason: expect.stringContaining("different versions of the rules (1 and 2)") }],
    });
  });

  test("came with its room if nobody entered the room before", () => {
    const {
      verdict,
      build: named,
      since,
      newRoom,
      steps,
      skipped,
    } = blameTag(TAG, [outside("1"), outside("2"), build("3", 20, 25)], {});
    expect([verdict, named, since, steps]).toEqual(["new_room", "3", null, []]);
    expect(newRoom).toEqual({ room: "pit", build: "3", before: ["1", "2"], entered: 25, withTag: 20 });
    expect(skipped).toEqual(["1", "2"].map((build) => ({ build, reason: "no tester entered pit" })));
  });

  test("is compared from the first build in which testers entered its room", () => {
    const rose = blameTag(TAG, [outside("1"), build("2", 2), outside("3"), build("4", 20)], {});
    expect(rose).toMatchObject({
      verdict: "rose",
      since: "2",
      build: "4",
      newRoom: { build: "2", withTag: 2 },
    });
    expect(rose.steps.map(({ a, b }) => [a, b])).toEqual([["2", "4"]]);
    expect(summarize([outside("1"), build("2", 20), build("3", 19)])).toEqual(["new_room", null, "2"]);
    expect(summarize([outside("1"), build("2", 0), build("3", 0)])).toEqual(["not_shown", null, null]);
  });

  test("did not come with its room if an earlier build is not fully known, or was entered without a device ID", () => {
    const unknown = { ...outside("1"), history: null };
    expect(blameTag(TAG, [unknown, outside("2"), build("3", 20)], {})).toMatchObject({
      verdict: "not_comparable",
      newRoom: null,
    });
    const anonymous = {
      ...outside("1"),
      history: [
        ...(outside("1").history ?? []),
        ...(build("1", 0, 1).history ?? []).map((tester) => ({ ...tester, anonymous: true })),
      ],
    };
    expect(blameTag(TAG, [anonymous, build("2", 20)], {})).toMatchObject({
      ...{ verdict: "not_comparable", newRoom: null },
      skipped: [{ build: "1", reason: "only sessions without a device ID entered pit" }],
    });
  });
});
