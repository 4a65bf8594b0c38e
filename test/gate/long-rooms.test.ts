/** A wall must not hide itself: longer play in its room, rooms that few testers entered, and the power of the gate. */
import { describe, expect, test } from "vitest";
import type { SessionHistory } from "../../src/contract/play-history.ts";
import { diffTags, type GateBuild } from "../../src/gate/build-comparison.ts";
import { judge } from "../../src/gate/judge.ts";
import { gateInput } from "./samples.ts";

const TESTERS = 20;
const TAG = "difficulty-spike:cave";

/** A build of which each of 20 testers plays one session. */
function played(version: string, session: (tester: number) => Partial<SessionHistory>): GateBuild {
  const byTag = new Map<string, { testers: number; insights: number }>();
  const history = Array.from({ length: TESTERS }, (_, at) => {
    const common = { activeSec: 600, wallSec: 900, bugReports: 0, rooms: [], tags: [] };
    const one: SessionHistory = { ...common, ...session(at) };
    for (const tag of one.tags) byTag.set(tag, { testers: (byTag.get(tag)?.testers ?? 0) + 1, insights: 1 });
    return { anonymous: false, sessions: [one] };
  });
  const extras = { stats: null, history, analysisVersions: [2] };
  return { version, testers: TESTERS, sessions: TESTERS, byTag, ...extras };
}

/** The testers before `walls` meet a wall in the cave, which keeps them there for ten minutes longer. */
const withWalls = (version: string, walls: number, outside = 600) =>
  played(version, (at) => {
    const inCave = at < walls ? 700 : 100;
    const rooms = [{ room: "cave", activeSec: inCave }];
    return { activeSec: outside + at + inCave, rooms, tags: at < walls ? [TAG] : [] };
  });

const judgeBuilds = (a: GateBuild, b: GateBuild) => judge(gateInput(a, b, { changes: diffTags(a, b) }));

describe("longer play", () => {
  test("in the room of a tag does not excuse the tag", () => {
    const verdict = judgeBuilds(withWalls("1", 4), withWalls("2", 20));
    expect(verdict.verdict).toBe("failed");
    expect(verdict.findings[0]).toMatchObject({
      status: "failed",
      found: { judged: { testersA: 4, testersB: 20, oddsRatio: 1 } },
    });
  });

  test("outside the room of a tag is allowed for", () => {
    const verdict = judgeBuilds(withWalls("1", 4), withWalls("2", 9, 1200));
    const { judged } = verdict.findings[0]?.found ?? {};
    expect(judged?.oddsRatio).toBeGreaterThan(2);
    expect(verdict.findings[0]?.status).toBe("noise");
  });

  test("outside the room of a tag is reported, also if the play in total is not longer", () => {
    const build = (version: string, outside: number) =>
      played(version, (at) => ({
        activeSec: 900 + at,
        rooms: [{ room: "cave", activeSec: 900 - outside }],
        tags: at < 6 ? [TAG] : [],
      }));
    const { notes, findings } = judgeBuilds(build("1", 300), build("2", 600));
    expect(findings[0]?.found.judged?.oddsRatio).toBeGreaterThan(1);
    expect(notes).toEqual([
      "The testers of 2 played longer than those of 1, not counting the room that a tag is about. This alone can lead to more friction. For 1 tag, an increase therefore counts only if the longer play does not explain it.",
    ]);
  });

  test("that is listed as longer in a room than in the session counts as no play outside", () => {
    const build = (version: string, walls: number) =>
      played(version, (at) => ({
        activeSec: version === "2" ? 900 : 300,
        rooms: [{ room: "cave", activeSec: 5_000 }],
        tags: at < walls ? [TAG] : [],
      }));
    expect(judgeBuilds(build("1", 4), build("2", 20)).findings[0]?.found.judged?.oddsRatio).toBe(1);
  });

  test("that excuses a tag without a room is a warning", () => {
    const build = (version: string, testers: number, activeSec: number) =>
      played(version, (at) => ({
        activeSec: activeSec + at,
        tags: at < testers ? ["pacing-issue:session"] : [],
      }));
    const verdict = judgeBuilds(build("1", 6, 300), build("2", 16, 1200));
    expect(verdict.findings[0]?.status).toBe("noise");
    expect(verdict.notes).toContainEqual(
      expect.stringMatching(
        /^Warning: .* increased from 6 of 20 to 16 of 20 testers\. Longer play could explain this, unless the problem itself made them play longer\. Check it by hand\.$/,
      ),
    );
    const equal = judgeBuilds(build("1", 6, 300), build("2", 16, 300));
    expect([equal.verdict, equal.notes]).toEqual(["failed", []]);
  });

  test("makes the gate inconclusive if it could not notice a new problem", () => {
    const build = (version: string, activeSec: number) =>
      played(version, (at) => ({ activeSec: activeSec + at, tags: at < 4 ? ["confusion:x"] : [] }));
    const { verdict, detection } = judgeBuilds(build("1", 300), build("2", 1200));
    expect(verdict).toBe("inconclusive");
    expect(detection).toMatchObject({ sufficient: false });
    expect(detection?.testersB).toBeGreaterThan(8);
    expect(detection?.power).toBeLessThan(0.7);
    expect(judgeBuilds(build("1", 300), build("2", 300))).toMatchObject({
      verdict: "passed",
      detection: { sufficient: true },
    });
  });
});

describe("a room that few testers entered", () => {
  const entered = (version: string, enter: number, walls: number) =>
    played(version, (at) => ({
      rooms: at < enter ? [{ room: "cave", activeSec: 60 }] : [],
      tags: at < walls ? [TAG] : [],
    }));

  test("makes the gate inconclusive if its tag would fail among all testers", () => {
    const verdict = judgeBuilds(entered("1", 2, 0), entered("2", 20, 14));
    expect(verdict).toMatchObject({
      verdict: "inconclusive",
      reasons: [
        "too few testers entered cave (2 of 20 in 1) to judge Difficulty spike in cave (difficulty-spike:cave), which 0 of 20 testers had in 1 and 14 of 20 in 2",
      ],
    });
  });

  test("is judged if enough testers entered it, or if the tag would pass among all testers", () => {
    expect(judgeBuilds(entered("1", 18, 14), entered("2", 20, 16)).verdict).toBe("passed");
    expect(judgeBuilds(entered("1", 2, 0), entered("2", 20, 3)).verdict).toBe("passed");
  });
});
