/** Attempts, failures and successes: the definitions of docs/rules.md, on both sides of each limit. */
import { describe, expect, it } from "vitest";
import { SAME_FAILURE_MS, SETTLE_MS } from "../../../src/server/analysis/attempts.ts";
import { measureRoomTimes } from "../../../src/server/analysis/rules/room-times.ts";
import { readPlay } from "../../../src/server/analysis/session-play.ts";
import { type Step, toRecordedSession } from "./recorded-sessions.ts";

const SETTLE = SETTLE_MS / 1000;
const SAME = SAME_FAILURE_MS / 1000;

const readRoom = (steps: readonly Step[], name = "a") => readPlay(toRecordedSession(steps)).rooms.get(name);
/** The seconds at which the failures and successes of a room occurred. */
const outcomes = (steps: readonly Step[], name = "a") => {
  const room = readRoom(steps, name);
  const seconds = (positions: readonly number[] = []) => positions.map((at) => steps[at]?.[0]);
  return { failures: seconds(room?.failures), successes: seconds(room?.successes) };
};
const failures = (steps: readonly Step[]) => outcomes(steps).failures;
const successes = (steps: readonly Step[]) => outcomes(steps).successes;

describe("failures", () => {
  const begin: Step = [0, "begin", "a"];

  it("are all failure events of different attempts", () => {
    expect(failures([begin, [10, "death", "a"], [20, "player_death", "a"]])).toEqual([10, 20]);
    expect(failures([begin, [0.1, "death", "a"], [0.2, "death", "a"]])).toEqual([0.1, 0.2]);
  });

  it("count once if two names report them", () => {
    const death: Step = [10, "death", "a"];
    const played = (after: number): Step[] => [
      begin,
      death,
      [10.1, "move", "a"],
      [10 + after, "game_over", "a"],
    ];
    expect(failures(played(SETTLE - 0.001))).toEqual([10]);
    expect(failures(played(SETTLE))).toEqual([10, 10 + SETTLE]);
    const waited = (after: number): Step[] => [
      begin,
      death,
      [10.1, "focus_lost"],
      [10 + after, "game_over", "a"],
    ];
    expect(failures(waited(SAME - 0.001))).toEqual([10]);
    expect(failures(waited(SAME))).toEqual([10, 10 + SAME]);
  });

  it("count once if three names report them, and again with the first name", () => {
    const names = ["death", "level_failed", "game_over"];
    const reports = names.map((name, at): Step => [10 + at, name, "a"]);
    expect(failures([begin, ...reports])).toEqual([10]);
    expect(failures([begin, ...reports, [14, "death", "a"]])).toEqual([10, 14]);
  });

  it("are not the state that a room, a start or a reset begins with", () => {
    for (const name of ["look", "begin", "reset"]) {
      const steps = (after: number): Step[] => [
        begin,
        [20, name, "b"],
        [30, name, "a"],
        [30 + after, "fail", "a"],
      ];
      expect(failures(steps(SETTLE - 0.001))).toEqual([]);
      expect(failures(steps(SETTLE))).toEqual([30 + SETTLE]);
    }
  });

  it("are not a control that crosses the solution", () => {
    for (const name of ["succeed", "complete"]) {
      expect(failures([begin, [10, "fail", "a"], [10 + SETTLE - 0.001, name, "a"]])).toEqual([]);
      expect(failures([begin, [10, "fail", "a"], [10 + SETTLE, name, "a"]])).toEqual([10]);
      expect(failures([begin, [10, name, "a"], [10 + SETTLE - 0.001, "fail", "a"]])).toEqual([]);
      expect(failures([begin, [10, name, "a"], [10 + SETTLE, "fail", "a"]])).toEqual([10 + SETTLE]);
    }
    expect(failures([begin, [10, "fail", "a"], [10.1, "succeed", "b"]])).toEqual([10]);
  });

  it("count once per attempt", () => {
    expect(failures([begin, [10, "fail", "a"], [20, "fail", "a"], [30, "death", "a"]])).toEqual([10]);
    expect(failures([begin, [10, "fail", "a"], [15, "reset", "a"], [20, "fail", "a"]])).toEqual([10, 20]);
    expect(
      failures([begin, [10, "fail", "a"], [15, "move", "b"], [20, "move", "a"], [25, "fail", "a"]]),
    ).toEqual([10, 25]);
  });

  it("each count in a session without starts and resets", () => {
    expect(
      failures([
        [0, "move", "a"],
        [10, "fail", "a"],
        [20, "fail", "a"],
        [30, "death", "a"],
      ]),
    ).toEqual([10, 20, 30]);
  });
});

describe("resets", () => {
  it("count once if they are pressed twice", () => {
    const resets = (after: number) =>
      readRoom([
        [0, "begin", "a"],
        [5, "reset", "a"],
        [5 + after, "reset", "a"],
        [5 + 2 * after, "reset", "a"],
      ])?.resets;
    expect(resets(SETTLE - 0.001)).toEqual([1]);
    expect(resets(SETTLE)).toEqual([1, 2, 3]);
  });

  it("start one attempt if they are pressed twice", () => {
    const attempts = (after: number) =>
      readRoom([
        [0, "move", "a"],
        [5, "reset", "a"],
        [5 + after, "reset", "a"],
        [9, "death", "a"],
      ])?.attempts.map(({ from, reset, failure }) => [from, reset, failure]);
    expect(attempts(SETTLE - 0.001)).toEqual([
      [0, 1, null],
      [1, null, 3],
      [3, null, null],
    ]);
    expect(attempts(SETTLE)).toHaveLength(4);
  });
});

describe("successes", () => {
  const begin: Step = [0, "begin", "a"];

  it("are events that end an attempt", () => {
    expect(successes([begin, [10, "complete", "a"], [20, "level_completed", "a"]])).toEqual([10, 20]);
  });

  it("are states that no failure follows in the attempt", () => {
    expect(successes([begin, [10, "succeed", "a"], [20, "succeed", "a"]])).toEqual([10]);
    expect(successes([begin, [10, "succeed", "a"], [10.1, "fail", "a"], [11, "succeed", "a"]])).toEqual([11]);
    expect(successes([begin, [10, "succeed", "a"], [20, "fail", "a"]])).toEqual([]);
    expect(successes([begin, [10, "succeed", "a"], [20, "death", "a"]])).toEqual([]);
    expect(successes([begin, [10, "succeed", "a"], [20, "begin", "a"], [30, "fail", "a"]])).toEqual([10]);
  });

  it("count once per attempt", () => {
    expect(successes([begin, [10, "succeed", "a"], [20, "complete", "a"]])).toEqual([20]);
  });

  it("are lasting states in a session without starts and resets", () => {
    const steps = (after: number): Step[] => [
      [0, "move", "a"],
      [10, "succeed", "a"],
      [10 + after, "fail", "a"],
    ];
    expect(outcomes(steps(SETTLE - 0.001))).toEqual({ failures: [], successes: [] });
    expect(outcomes(steps(SETTLE))).toEqual({ failures: [10 + SETTLE], successes: [10] });
  });
});

describe("rooms", () => {
  it("collect events without a room separately", () => {
    const steps: Step[] = [
      [0, "begin", "a"],
      [10, "death"],
      [20, "death", "session"],
      [30, "quit"],
    ];
    expect(outcomes(steps, "session").failures).toEqual([10, 20]);
    expect(readRoom(steps)?.givingUp).toEqual([3]);
    expect(readRoom(steps, "session")?.givingUp).toEqual([]);
  });

  it("ignore names that are too long", () => {
    const play = readPlay(toRecordedSession([[0, "begin", "x".repeat(201)]]));
    expect([...play.rooms.keys()]).toEqual(["session"]);
    expect(readPlay(toRecordedSession([[0, "begin", "x".repeat(200)]])).visits).toHaveLength(1);
  });

  it("are left when another room is named", () => {
    const { visits } = readPlay(
      toRecordedSession([
        [0, "move", "a"],
        [5, "move"],
        [10, "move", "b"],
        [20, "move", "a"],
        [30, "move"],
      ]),
    );
    expect(visits.map(({ room, entered, last, end }) => [room, entered, last, end])).toEqual([
      ["a", 0, 0, 2],
      ["b", 2, 2, 3],
      ["a", 3, 3, 4],
    ]);
  });
});

describe("stretches of play", () => {
  const stretches = (steps: readonly Step[]) =>
    readRoom(steps)?.stretches.map(({ from, success }) => [
      steps[from]?.[0],
      success === null ? null : steps[success]?.[0],
    ]);

  it("end with a success, and begin again with a start or reset", () => {
    expect(
      stretches([
        [0, "move", "a"],
        [5, "begin", "a"],
        [9, "move", "a"],
      ]),
    ).toEqual([[0, null]]);
    expect(
      stretches([
        [0, "begin", "a"],
        [9, "complete", "a"],
        [20, "move", "a"],
      ]),
    ).toEqual([[0, 9]]);
    expect(
      stretches([
        [0, "begin", "a"],
        [9, "complete", "a"],
        [20, "reset", "a"],
        [25, "begin", "a"],
        [30, "complete", "a"],
        [40, "complete", "a"],
        [50, "begin", "a"],
      ]),
    ).toEqual([
      [0, 9],
      [20, 30],
      [50, null],
    ]);
  });

  it("have the active time of all visits", () => {
    const steps: Step[] = [
      [0, "begin", "a"],
      [10, "move", "b"],
      [40, "move", "a"],
      [45, "complete", "a"],
      [50, "begin", "a"],
      [70, "move", "b"],
      [80, "move", "a"],
      [85, "move"],
    ];
    expect(measureRoomTimes(readPlay(toRecordedSession(steps))).get("a")).toEqual({
      ms: 15_000,
      longestMs: 25_000,
    });
  });

  it("exclude idle and unfocused time, and long gaps", () => {
    const steps: Step[] = [
      [0, "begin", "a"],
      [10, "idle_start"],
      [20, "focus_lost"],
      [30, "idle_end"],
      [40, "focus_gained"],
      [45, "move"],
      [345, "move"],
    ];
    expect(measureRoomTimes(readPlay(toRecordedSession(steps))).get("a")?.ms).toBe(10_000 + 5000 + 60_000);
  });

  it("include the time after focus was lost if play goes on and focus is never regained", () => {
    const steps: Step[] = [
      [0, "begin", "a"],
      [10, "focus_lost"],
      [20, "session_heartbeat"],
      [30, "move"],
      [50, "move"],
    ];
    const ms = (more: Step[]) =>
      measureRoomTimes(readPlay(toRecordedSession([...steps, ...more]))).get("a")?.ms;
    expect(ms([])).toBe(10_000 + 20_000);
    expect(ms([[60, "focus_gained"]])).toBe(10_000);
    expect(
      ms([
        [60, "focus_lost"],
        [70, "focus_gained"],
      ]),
    ).toBe(10_000 + 30_000);
  });
});
