/** Difficulty spikes, on both sides of each threshold. */
import { describe, expect, it } from "vitest";
import {
  MEDIAN_MIN_ROOMS,
  OUTSTANDING_FACTOR,
  RUN_ALWAYS,
  RUN_THRESHOLD,
  TOTAL_THRESHOLD,
} from "../../../../src/server/analysis/rules/difficulty-spike.ts";
import { LASTING_MS } from "../../../../src/server/analysis/rules/rooms.ts";
import { findingsOf, repeated, type Step, tagsOf } from "../recorded-sessions.ts";

const spikes = (steps: readonly Step[]) => findingsOf("difficulty-spike", steps);

/** Failures, each followed by a success that lasts `lasting` seconds. */
function undone(count: number, room: string, lasting: number): Step[] {
  return Array.from({ length: count }, (_, index) => index * 10).flatMap((from): Step[] => [
    [from, "fail", room],
    [from + 10 - lasting, "succeed", room],
  ]);
}

/** Consecutive rooms with the given numbers of failures. */
function roomsWith(failures: readonly number[]): Step[] {
  return failures.flatMap((count, at) => [
    ...repeated(count, "death", `room-${at}`, at * 1000),
    [at * 1000 + 900, "level_completed", `room-${at}`] as const,
  ]);
}

describe("failures in a row", () => {
  it("are a spike if they reach the threshold", () => {
    expect(spikes(repeated(RUN_THRESHOLD - 1, "fail", "level-09"))).toEqual([]);
    expect(spikes(repeated(RUN_THRESHOLD, "fail", "level-09"))).toMatchInlineSnapshot(`
      [
        {
          "confidence": 0.5,
          "evidence": "5 failures in level-09 within 40s, with no success that lasted over 3s in between (threshold: 5 failures): events e0, e1, e2, e3, e4",
          "sentiment": "negative",
          "tag": "difficulty-spike:level-09",
          "title": "Failed 5 times in a row in level-09",
          "type": "difficulty-spike",
        },
      ]
    `);
  });

  it("include all failure events", () => {
    const names = ["death", "player_death", "fail", "level_failed", "game_over"];
    expect(tagsOf(spikes(names.map((name, at) => [at, name, "x"])))).toEqual(["difficulty-spike:x"]);
  });

  it("are counted per room", () => {
    const half = RUN_THRESHOLD - 1;
    expect(spikes([...repeated(half, "fail", "a"), ...repeated(half, "fail", "b", 500)])).toEqual([]);
  });

  it("continue while the player visits other rooms", () => {
    const steps: Step[] = [
      ...repeated(3, "fail", "a"),
      [40, "succeed", "b"],
      ...repeated(2, "fail", "a", 100),
    ];
    expect(tagsOf(spikes(steps))).toEqual(["difficulty-spike:a"]);
  });

  it("end with a lasting success, but not with a success that a failure follows immediately", () => {
    const lasting = LASTING_MS / 1000;
    expect(tagsOf(spikes(undone(RUN_THRESHOLD, "a", lasting)))).toEqual(["difficulty-spike:a"]);
    expect(spikes(undone(RUN_THRESHOLD, "a", lasting + 0.001))).toEqual([]);
  });

  it("end with giving up", () => {
    const half = RUN_THRESHOLD - 1;
    const steps: Step[] = [
      ...repeated(half, "fail", "a"),
      [50, "skip_button", "a"],
      ...repeated(half, "fail", "a", 60),
    ];
    expect(spikes(steps)).toEqual([]);
  });

  it("without a room are attributed to the session", () => {
    const steps = Array.from({ length: RUN_THRESHOLD }, (_, at): Step => [at, "death"]);
    const [spike] = spikes(steps);
    expect(spike?.tag).toBe("difficulty-spike:session");
    expect(spike?.title).toBe("Failed 5 times in a row");
  });

  it("raise the confidence", () => {
    const confidences = [5, 6, 10, 20, 200].map(
      (count) => spikes(repeated(count, "fail", "a"))[0]?.confidence,
    );
    expect(confidences).toEqual([0.5, 0.57, 0.73, 0.84, 0.94]);
  });
});

describe("failures with successes in between", () => {
  it("are a spike if they reach the higher threshold", () => {
    expect(spikes(undone(TOTAL_THRESHOLD - 1, "a", 9))).toEqual([]);
    expect(spikes(undone(TOTAL_THRESHOLD, "a", 9))).toMatchInlineSnapshot(`
      [
        {
          "confidence": 0.5,
          "evidence": "10 failures in a within 1m 30s (threshold: 10 failures), with 10 successes in between: events e0, e2, e4, e6, e8, e10, e12, e14, e16, e18",
          "sentiment": "negative",
          "tag": "difficulty-spike:a",
          "title": "Failed 10 times in a, with successes in between",
          "type": "difficulty-spike",
        },
      ]
    `);
  });

  it("raise the confidence of a shorter run", () => {
    const run = repeated(RUN_THRESHOLD, "fail", "a");
    const later = undone(30, "a", 9).map(([at, name, room]): Step => [at + 100, name, room]);
    const [spike] = spikes([...run, [60, "succeed", "a"], ...later]);
    expect(spike?.title).toBe("Failed 5 times in a row in a");
    expect(spike?.evidence).toMatch(/; 35 failures in a in total$/);
    expect(spike?.confidence).toBe(0.71);
  });
});

describe("in a game with failures in every room", () => {
  const usual = 4;

  it("reports only rooms that stand out", () => {
    const others = Array.from({ length: MEDIAN_MIN_ROOMS - 1 }, () => usual);
    const outstanding = usual * OUTSTANDING_FACTOR;
    expect(spikes(roomsWith([...others, outstanding - 1]))).toEqual([]);
    expect(tagsOf(spikes(roomsWith([...others, outstanding])))).toEqual([`difficulty-spike:room-3`]);
  });

  it("does not compare too few rooms", () => {
    const alike = Array.from({ length: MEDIAN_MIN_ROOMS - 1 }, () => RUN_THRESHOLD);
    expect(spikes(roomsWith(alike))).toHaveLength(alike.length);
    expect(spikes(roomsWith([...alike, RUN_THRESHOLD]))).toEqual([]);
  });

  it("always reports a very long run", () => {
    const alike = (count: number) => roomsWith(Array.from({ length: 6 }, () => count));
    expect(spikes(alike(RUN_ALWAYS - 1))).toEqual([]);
    expect(spikes(alike(RUN_ALWAYS))).toHaveLength(6);
  });
});
