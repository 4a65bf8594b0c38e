/** Difficulty spikes, on both sides of each threshold. */
import { describe, expect, it } from "vitest";
import {
  MEDIAN_MIN_ROOMS,
  MIN_FAILURES,
  MIN_SPIKE_MS,
  OUTSTANDING_FACTOR,
  RUN_ALWAYS,
  RUN_THRESHOLD,
  TOTAL_THRESHOLD,
} from "../../../../src/server/analysis/rules/difficulty-spike.ts";
import { findingsOf, repeated, type Step, tagsOf, withoutClaims } from "../recorded-sessions.ts";

const spikes = (steps: readonly Step[]) => findingsOf("difficulty-spike", steps);
const titles = (steps: readonly Step[]) => spikes(steps).map(({ title }) => title);

/** Failures, each followed by a success. */
function alternating(count: number, room: string, from = 0): Step[] {
  return Array.from({ length: count }, (_, index) => from + index * 10).flatMap((at): Step[] => [
    [at, "death", room],
    [at + 5, "complete", room],
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
    expect(spikes(repeated(RUN_THRESHOLD - 1, "death", "level-09"))).toEqual([]);
    const found = spikes(repeated(RUN_THRESHOLD, "death", "level-09"));
    expect(withoutClaims(found)).toMatchInlineSnapshot(`
      [
        {
          "confidence": 0.5,
          "evidence": "5 failures in level-09 within 40s, with no success, restart or other room in between (threshold: 5 failures): events e0, e1, e2, e3, e4",
          "sentiment": "negative",
          "tag": "difficulty-spike:level-09",
          "title": "Failed 5 times in a row in level-09",
          "type": "difficulty-spike",
        },
      ]
    `);
    expect(found[0]?.claims).toEqual([
      {
        kind: "failures",
        room: "level-09",
        ids: ["e0", "e1", "e2", "e3", "e4"],
        count: 5,
        from: "e0",
        to: "e4",
      },
      { kind: "in-a-row", room: "level-09", ids: ["e0", "e1", "e2", "e3", "e4"], count: 5 },
      { kind: "interval", from: "e0", to: "e4", ms: 40_000 },
    ]);
  });

  it("include all failure events", () => {
    const names = ["death", "player_death", "level_failed", "game_over", "death"];
    expect(tagsOf(spikes(names.map((name, at) => [at * 10, name, "x"])))).toEqual(["difficulty-spike:x"]);
  });

  it("are counted per room", () => {
    const half = RUN_THRESHOLD - 1;
    expect(spikes([...repeated(half, "death", "a"), ...repeated(half, "death", "b", 500)])).toEqual([]);
  });

  it.each([
    ["a success", [25, "complete", "a"]],
    ["a success state", [25, "succeed", "a"]],
    ["a success elsewhere", [25, "complete"]],
    ["giving up", [25, "skip_button", "a"]],
    ["a reset", [25, "reset", "a"]],
    ["another room", [25, "move", "b"]],
  ] as const)("end with %s", (_, step: Step) => {
    const steps = [...repeated(3, "death", "a"), step, ...repeated(2, "death", "a", 30)];
    expect(titles(steps)).not.toContain("Failed 5 times in a row in a");
    expect(titles([...steps, ...repeated(3, "death", "a", 50)])).toEqual(["Failed 5 times in a row in a"]);
  });

  it("continue over starts, and over events that are not outcomes", () => {
    const steps = repeated(5, "death", "a").flatMap((step): Step[] => [
      step,
      [step[0] + 2, "begin", "a"],
      [step[0] + 4, "move"],
    ]);
    expect(titles(steps)).toEqual(["Failed 5 times in a row in a"]);
  });

  it("without a room are attributed to the session", () => {
    const steps = Array.from({ length: RUN_THRESHOLD }, (_, at): Step => [at, "death"]);
    const [spike] = spikes(steps);
    expect(spike?.tag).toBe("difficulty-spike:session");
    expect(spike?.title).toBe("Failed 5 times in a row");
  });

  it("are stronger if there are more", () => {
    const strengths = [5, 6, 10, 20, 200].map(
      (count) => spikes(repeated(count, "death", "a"))[0]?.confidence,
    );
    expect(strengths).toEqual([0.5, 0.57, 0.73, 0.84, 0.94]);
  });

  it("name the failures of the room outside of the row", () => {
    const [spike] = spikes([...repeated(5, "death", "a"), [60, "complete", "a"], [70, "death", "a"]]);
    expect(spike?.evidence).toMatch(/; 6 failures in a in total$/);
  });
});

describe("unsuccessful attempts", () => {
  /** Resets every `every` seconds, with the room entered at 0. */
  const resets = (count: number, every: number): Step[] => [
    [0, "begin", "a"],
    ...repeated(count, "reset", "a", every, every),
  ];

  it("that end with resets are a spike in enough time", () => {
    const every = MIN_SPIKE_MS / 1000 / RUN_THRESHOLD;
    expect(spikes(resets(RUN_THRESHOLD - 1, 60))).toEqual([]);
    expect(spikes(resets(RUN_THRESHOLD, every - 0.001))).toEqual([]);
    const found = spikes(resets(RUN_THRESHOLD, every));
    expect(withoutClaims(found)).toMatchInlineSnapshot(`
      [
        {
          "confidence": 0.4,
          "evidence": "Restarted 5 times in a without a success, in 45s of play (threshold: 5 unsuccessful attempts): events e1, e2, e3, e4, e5",
          "sentiment": "negative",
          "tag": "difficulty-spike:a",
          "title": "Restarted 5 times in a without a success",
          "type": "difficulty-spike",
        },
      ]
    `);
    expect(found[0]?.claims).toMatchObject([
      { kind: "failures", count: 0 },
      { kind: "resets", count: 5, from: "e1", to: null },
      { kind: "successes", count: 0, from: null, to: null },
      { kind: "room-time", ms: 45_000, from: "e0", until: null },
    ]);
  });

  it("do not include resets without play", () => {
    const rapid: Step[] = [0.1, 0.2, 0.3, 0.4].map((after) => [60 + after, "reset", "a"]);
    expect(spikes([[0, "begin", "a"], [60, "reset", "a"], ...rapid])).toEqual([]);
  });

  it("count failures and resets up to a success", () => {
    const steps: Step[] = [
      [0, "begin", "a"],
      ...repeated(2, "death", "a", 10),
      ...repeated(4, "reset", "a", 30),
      [90, "complete", "a"],
      [99, "reset", "a"],
    ];
    expect(titles(steps)).toEqual(["Failed 2 times and restarted 4 times in a before the first success"]);
    const again = steps.map(([at, ...rest]): Step => [at + 200, ...rest]);
    expect(titles([[0, "begin", "a"], [9, "complete", "a"], ...again])).toEqual([
      "Failed 2 times and restarted 4 times in a before the next success",
    ]);
  });

  it("with failures do not need much time", () => {
    const quick = (failures: number): Step[] => [
      [0, "begin", "a"],
      ...repeated(failures, "death", "a", 2, 2),
      ...repeated(RUN_THRESHOLD - failures, "reset", "a", 20, 2),
      [30, "complete", "a"],
    ];
    expect(spikes(quick(MIN_FAILURES - 1))).toEqual([]);
    expect(spikes(quick(MIN_FAILURES))).toHaveLength(1);
  });

  it("in several visits are a spike, but not a row", () => {
    const steps: Step[] = [
      ...repeated(3, "death", "a"),
      [40, "move", "b"],
      ...repeated(2, "death", "a", 100),
    ];
    expect(titles(steps)).toEqual(["Failed 5 times in a without a success"]);
  });
});

describe("failures with successes in between", () => {
  it("are a spike if they reach the higher threshold", () => {
    expect(spikes(alternating(TOTAL_THRESHOLD - 1, "a"))).toEqual([]);
    expect(withoutClaims(spikes(alternating(TOTAL_THRESHOLD, "a")))).toMatchInlineSnapshot(`
      [
        {
          "confidence": 0.5,
          "evidence": "Failed 10 times in a, with 9 successes in between, within 1m 30s (threshold: 10 failures): events e0, e2, e4, e6, e8, e10, e12, e14, e16, e18",
          "sentiment": "negative",
          "tag": "difficulty-spike:a",
          "title": "Failed 10 times in a, with 9 successes in between",
          "type": "difficulty-spike",
        },
      ]
    `);
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
