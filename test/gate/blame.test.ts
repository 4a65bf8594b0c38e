/** The first build in which a row of the scorecard rose. */
import { describe, expect, test } from "vitest";
import { type BlamedBuild, blameRow } from "../../src/gate/blame.ts";
import type { GroupFacts, SessionFacts } from "../../src/scorecard/facts.ts";
import { computeScorecard } from "../../src/scorecard/scorecard.ts";
import { group, OPTIONS, room, session, tester, testers } from "../scorecard/facts.ts";

const TAG = "difficulty-spike:pit";

const toBuild = (version: string, facts: GroupFacts): BlamedBuild => ({
  version,
  facts: {
    group: facts,
    sessions: { open: 0, analyzed: facts.testers.length, unanalyzed: 0, failed: 0 },
    anonymousSessions: 0,
    ...{ version, fields: [] },
  },
});

/** A build whose testers did this. */
const played = (
  version: string,
  count: number,
  total: number,
  play: (has: boolean) => Partial<SessionFacts>,
) => toBuild(version, group(testers(total, count, (has) => tester([session(play(has))]))));

/** A build whose testers all entered the pit, some of them with the tag. */
const build = (version: string, withTag: number, total = 30) =>
  played(version, withTag, total, (has) => ({
    rooms: [room("pit")],
    tags: has ? [{ tag: TAG, afterSec: 60 }] : [],
  }));

/** A build in which nobody entered the pit. */
const outside = (version: string) => played(version, 0, 30, () => ({ rooms: [room("hall")] }));

const analyzedBy = ({ version, facts }: BlamedBuild, versions: number[]): BlamedBuild =>
  facts === null ? { version, facts } : toBuild(version, { ...facts.group, analysisVersions: versions });

const builds = (...counts: number[]) => counts.map((count, at) => build(String(at + 1), count));

function summarize(all: readonly BlamedBuild[], id = TAG) {
  const { verdict, build: named, since } = blameRow(id, all, {});
  return [verdict, since, named];
}

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

  test("has the uncorrected p-value of its row in the scorecard in each comparison", () => {
    const [a, b] = builds(3, 20);
    if (!a?.facts || !b?.facts) throw new Error("no builds");
    const [step] = blameRow(TAG, [a, b], {}).steps;
    const { rows } = computeScorecard(a.facts.group, b.facts.group, OPTIONS);
    const found = rows.find(({ metric }) => metric === `friction:${TAG}`);
    expect(step).toMatchObject({
      p: found?.pValue,
      counts: { testersA: 3, totalA: 30, testersB: 20, totalB: 30 },
      rose: true,
    });
  });

  test("is corrected for the number of comparisons", () => {
    const [alone] = blameRow(TAG, builds(2, 9), {}).steps;
    const { steps } = blameRow(TAG, builds(2, 9, 9, 9, 9, 9), {});
    expect(steps).toHaveLength(9);
    expect(steps[0]?.p).toBeCloseTo(alone?.p ?? 0, 9);
    expect(steps[0]?.adjustedP).toBeCloseTo(9 * (alone?.p ?? 0), 9);
  });

  test("must rise by more than the limit of the gate", () => {
    const all = [build("1", 0, 1000), build("2", 80, 1000)];
    expect(summarize(all)).toEqual(["not_shown", null, null]);
    expect(blameRow(TAG, all, { maxIncreasePoints: 5 }).verdict).toBe("rose");
  });

  test("says how many testers of the last build it must affect to be noticed, corrected for all comparisons", () => {
    const noticed = (...before: number[]) => {
      const { noticedTesters } = blameRow(TAG, builds(...before, 3), {});
      if (noticedTesters === null) throw new Error("nothing would be noticed");
      const [enough, fewer] = [noticedTesters, noticedTesters - 2].map(
        (count) =>
          blameRow(TAG, builds(...before, count), {}).steps.find(({ b }) => b === String(before.length + 1))
            ?.rose,
      );
      expect([enough, fewer]).toEqual([true, false]);
      return noticedTesters;
    };
    expect(noticed(2, 2, 2, 2, 2, 2)).toBeGreaterThan(noticed(2));
  });
});

describe("a room that testers quit", () => {
  const hall = (version: string, quits: number) =>
    played(version, quits, 30, (quit) => ({ rooms: [room("hall", { quit, completed: !quit })] }));

  test("is a row like a tag", () => {
    const all = [hall("1", 2), hall("2", 3), hall("3", 18)];
    expect(summarize(all, "quit:hall")).toEqual(["rose", "2", "3"]);
    expect(blameRow("quit:hall", all, {}).steps[1]?.counts).toEqual({
      ...{ testersA: 3, totalA: 30, testersB: 18, totalB: 30 },
    });
  });
});

describe("builds that cannot be compared", () => {
  test("have few testers, other rules of the analysis, or no facts", () => {
    const few = [build("1", 0), build("2", 4, 4), build("3", 20)];
    expect(blameRow(TAG, few, {})).toMatchObject({
      ...{ verdict: "rose", since: "1", build: "3" },
      skipped: [{ build: "2", reason: "4 testers with a device ID; at least 5 are required" }],
    });
    expect(blameRow(TAG, [analyzedBy(build("1", 0), [2]), build("2", 20)], {})).toMatchObject({
      verdict: "not_comparable",
      skipped: expect.arrayContaining([
        { build: "1", reason: expect.stringContaining("different versions of the rules (1 and 2)") },
      ]),
    });
    expect(blameRow(TAG, [build("1", 0), { version: "2", facts: null }, build("3", 20)], {})).toMatchObject({
      ...{ verdict: "rose", since: "1" },
      skipped: [{ build: "2", reason: "it is not known what its testers did" }],
    });
  });
});

describe("a tag about a room that nobody entered before", () => {
  test("came with its room", () => {
    const blame = blameRow(TAG, [outside("1"), outside("2"), build("3", 20, 25)], {});
    expect(blame).toMatchObject({
      ...{ verdict: "new_room", build: "3", since: null, steps: [] },
      newRoom: { room: "pit", build: "3", before: ["1", "2"], entered: 25, withTag: 20 },
    });
    expect(blame.skipped).toEqual(
      ["1", "2"].map((version) => ({ build: version, reason: "no tester could meet it" })),
    );
  });

  test("is compared from the first build in which testers entered the room", () => {
    const rose = blameRow(TAG, [outside("1"), build("2", 2), build("3", 20)], {});
    expect(rose).toMatchObject({
      verdict: "rose",
      since: "2",
      build: "3",
      newRoom: { build: "2", withTag: 2 },
    });
    expect(summarize([outside("1"), build("2", 20), build("3", 19)])).toEqual(["new_room", null, "2"]);
  });

  test("is compared across a build in which nobody entered it", () => {
    const { steps, verdict } = blameRow(TAG, [build("1", 2), outside("2"), build("3", 20)], {});
    expect([verdict, steps.map(({ a, b }) => [a, b])]).toEqual(["gradual", [["1", "3"]]]);
  });
});
