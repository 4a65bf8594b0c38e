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
  test("has a row for each room", () => {
    const one = tester([play([measured(), measured({ room: "attic" }), measured({ room: null })])]);
    expect([...compare([one], [one]).keys()]).toEqual([
      ...["frame-time-p95:dock", "frame-time-p95:attic", "frame-time-p95"],
      ...["stutter:dock", "stutter:attic", "stutter"],
      ...["load-time:dock", "load-time:attic", "load-time", "memory:dock", "memory:attic", "memory"],
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
    expect(rows.get("memory:dock")?.b.value).toBe(550);
    expect(rows.get("load-time:dock")?.b.value).toBe(1500);
  });

  test("leaves out testers with few frames, and those who sent none", () => {
    const few = tester([play([measured({ frames: frames(299), loadMs: null })])]);
    const rows = compare([tester([play([measured()])])], [few, tester([session()])]);
    expect(rows.get("frame-time-p95:dock")).toMatchObject({ reason: "nobody in b", b: { total: 0 } });
    expect(rows.get("load-time:dock")).toMatchObject({ reason: "nobody in b" });
    expect(rows.get("memory:dock")).toMatchObject({ reason: null, b: { total: 1 } });
  });

  test("does not get worse with longer play", () => {
    const inRoom = (room: string, value: number) =>
      play([measured({ room, memoryMb: 400 + value, loadMs: 500 + value })]);
    const before = repeat(15, (at) => tester([inRoom("dock", 10 * at)]));
    const longer = repeat(15, (at) =>
      tester([...[-40, 40, -20, 20].map((change) => inRoom("dock", 10 * at + change)), inRoom("attic", 900)]),
    );
    const rows = compare(before, longer);
    for (const name of ["memory", "load-time"]) {
      expect(rows.get(`${name}:dock`)).toMatchObject({ status: "unclear", difference: 0 });
      expect(rows.get(`${name}:attic`)?.reason).toBe("nobody in a");
    }
  });

  test("leaves out platforms of few testers", () => {
    const on = (platform: string, count: number, loadMs = 1000) =>
      repeat(count, () => tester([play([measured({ loadMs })], platform)]));
    const values = (a: readonly TesterFacts[], b: readonly TesterFacts[]) =>
      [...compare(a, b)]
        .filter(([name]) => name.startsWith("load-time"))
        .map(([name, row]) => [name, row.a.total, row.b.total]);
    expect(values(on("windows", 9), [...on("windows", 9), ...on("toaster", 1)])).toEqual([
      ["load-time:dock", 9, 9],
    ]);
    expect(
      values([...on("windows", 9), ...on("android", 3)], [...on("android", 2), ...on("toaster", 4)]),
    ).toEqual([
      ["load-time:dock@windows", 9, 0],
      ["load-time:dock@android", 3, 2],
    ]);
    expect(values(on("windows", 2), on("android", 2))).toEqual([["load-time:dock", 2, 2]]);
    const same = (id: string) => tester([play([measured()], "android")], id);
    const [once, again] = [["1", "2", "3"].map(same), ["1", "2", "3"].map(same)];
    expect(values([...on("windows", 5), ...once], [...on("windows", 5), ...again])).toEqual([
      ["load-time:dock", 5, 5],
    ]);
  });

  test("is compared on each platform, if there are several", () => {
    const pc = (count: number) => repeat(count, () => tester([play([measured()])]));
    const phone = (count: number) =>
      repeat(count, () => tester([play([measured({ frames: frames(0, 6000) })], "android")]));
    const rows = compare([...pc(4), ...phone(2)], [...pc(2), ...phone(4)]);
    expect([...rows.keys()].filter((name) => !name.startsWith("stutter"))).toEqual([
      ...["frame-time-p95:dock@windows", "frame-time-p95:dock@android"],
      ...["load-time:dock@windows", "load-time:dock@android", "memory:dock@windows", "memory:dock@android"],
    ]);
    expect(rows.get("frame-time-p95:dock@android")).toMatchObject({ a: { total: 2 }, b: { total: 4 } });
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
