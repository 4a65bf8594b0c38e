/** Rows about performance: who counts in them, what is merged, and what is found. */
import { describe, expect, test } from "vitest";
import type { RoomPerformance, TesterFacts } from "../../src/scorecard/facts.ts";
import { computeScorecard } from "../../src/scorecard/scorecard.ts";
import { createRandom } from "../../src/statistics/random.ts";
import { group, OPTIONS, session, tester } from "./facts.ts";

/** Frames of 16 ms, and of 60 ms. */
const frames = (fast: number, slow = 0) => [0, 0, 0, 0, 0, 0, fast, 0, 0, 0, 0, 0, slow];

const measured = (changes: Partial<RoomPerformance> = {}): RoomPerformance => ({
  ...{ room: "dock", frames: frames(6000), memoryMb: 500, loadMs: 1000 },
  ...changes,
});

const play = (rooms: readonly RoomPerformance[], platform = "windows") =>
  session({ performance: { platform, rooms } });

function compare(a: readonly TesterFacts[], b: readonly TesterFacts[]) {
  const options = { ...OPTIONS, families: ["performance" as const] };
  const { rows } = computeScorecard(group(a), group(b), options);
  return new Map(rows.filter(({ family }) => family === "performance").map((row) => [row.metric, row]));
}

const repeat = (total: number, create: (at: number) => TesterFacts) =>
  Array.from({ length: total }, (_, at) => create(at));

describe("performance", () => {
  test("has a row for each room, and one for load times and memory", () => {
    const one = tester([play([measured(), measured({ room: "attic" }), measured({ room: null })])]);
    expect([...compare([one], [one]).keys()]).toEqual([
      ...["frame-time-p95:dock", "frame-time-p95:attic", "frame-time-p95"],
      ...["stutter:dock", "stutter:attic", "stutter", "load-time", "memory"],
    ]);
  });

  test("merges the sessions of a tester", () => {
    const sessions = [
      play([measured({ frames: frames(940), memoryMb: 400, loadMs: 1000 })]),
      play([measured({ frames: frames(0, 60), memoryMb: 700, loadMs: 2000 })]),
    ];
    const rows = compare([tester(sessions)], [tester(sessions)]);
    // 5% of 1000 frames are 50, so the frame is the tenth of the 60 slow ones.
    expect(rows.get("frame-time-p95:dock")?.b.value).toBeCloseTo(50 + (10 / 60) * 17);
    expect(rows.get("memory")?.b.value).toBe(700);
    expect(rows.get("load-time")?.b.value).toBe(1500);
  });

  test("leaves out testers with few frames, and those who sent none", () => {
    const few = tester([play([measured({ frames: frames(299), loadMs: null })])]);
    const rows = compare([tester([play([measured()])])], [few, tester([session()])]);
    expect(rows.get("frame-time-p95:dock")).toMatchObject({ reason: "nobody in b", b: { total: 0 } });
    expect(rows.get("load-time")).toMatchObject({ reason: "nobody in b" });
    expect(rows.get("memory")).toMatchObject({ reason: null, b: { total: 1 } });
  });

  test("is compared on each platform, if there are several", () => {
    const pc = tester([play([measured()])]);
    const phone = tester([play([measured({ frames: frames(0, 6000) })], "android")]);
    const rows = compare([pc, pc, phone], [pc, phone, phone]);
    expect([...rows.keys()].filter((name) => !name.startsWith("stutter"))).toEqual([
      ...["frame-time-p95:dock@windows", "frame-time-p95:dock@android"],
      ...["load-time:windows", "load-time:android", "memory:windows", "memory:android"],
    ]);
    expect(rows.get("frame-time-p95:dock@android")).toMatchObject({ a: { total: 1 }, b: { total: 2 } });
    expect(rows.get("frame-time-p95:dock@android")?.difference).toBeCloseTo(0);
  });

  test("finds slower frames of most testers, on devices of all speeds", () => {
    const random = createRandom(7);
    const onDevice = (slowdown: number) => {
      const slow = Math.round(6000 * Math.min(0.5, 0.02 + 0.04 * random() + slowdown));
      return tester([play([measured({ frames: frames(6000 - slow, slow) })])]);
    };
    const before = repeat(15, () => onDevice(0));
    expect(
      compare(
        before,
        repeat(15, () => onDevice(0.2)),
      ).get("frame-time-p95:dock"),
    ).toMatchObject({
      status: "worse",
    });
    expect(
      compare(
        before,
        repeat(15, () => onDevice(0)),
      ).get("frame-time-p95:dock"),
    ).toMatchObject({
      status: "unclear",
    });
  });
});
