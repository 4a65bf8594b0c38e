/** Stuck points: staying in one spot with input, and rooms that take far longer than in other sessions. */
import { describe, expect, it } from "vitest";
import { measureRoomTimes } from "../../../../src/server/analysis/rules/room-times.ts";
import { MIN_SLOW_MS, STILL_INPUTS, STILL_MS } from "../../../../src/server/analysis/rules/stuck-point.ts";
import { expectValid, findingsOf, type Step, tagsOf, toRecordedSession } from "../recorded-sessions.ts";

const STILL = STILL_MS / 1000;

/** A walk through the whole room, then `seconds` in one spot with the given number of inputs. */
function stayInOneSpot(seconds: number, inputs: number, spread = 0.1): Step[] {
  const walk = Array.from({ length: 20 }, (_, at): Step => [at, "player_pos", "cave", { x: at * 5, y: 0 }]);
  const start = 30;
  const stays = Array.from(
    { length: 10 },
    (_, at): Step => [
      start + (seconds * at) / 9,
      "player_pos",
      "cave",
      { x: at % 2 ? 50 : 50 + spread, y: 0 },
    ],
  );
  const presses = Array.from(
    { length: inputs },
    (_, at): Step => [start + 0.1 + ((seconds - 0.2) * at) / Math.max(1, inputs - 1), "press_e"],
  );
  return [...walk, ...[...stays, ...presses].sort((a, b) => a[0] - b[0])];
}

describe("staying in one spot", () => {
  it("is reported if time and inputs reach their thresholds", () => {
    expect(findingsOf("stuck-point", stayInOneSpot(STILL - 1, STILL_INPUTS))).toEqual([]);
    expect(findingsOf("stuck-point", stayInOneSpot(STILL, STILL_INPUTS - 1))).toEqual([]);
    const found = findingsOf("stuck-point", stayInOneSpot(STILL, STILL_INPUTS));
    expect(found).toMatchObject([
      {
        tag: "stuck-point:cave",
        title: "Stayed in one spot in cave for 45s, with 10 inputs",
        confidence: 0.5,
      },
    ]);
    for (const finding of found) expectValid(finding);
  });

  it("allows movement within 5% of the room", () => {
    // The room is 95 wide: 4.75 is near, 4.76 is not.
    expect(findingsOf("stuck-point", stayInOneSpot(STILL, STILL_INPUTS, 4.75))).toHaveLength(1);
    expect(findingsOf("stuck-point", stayInOneSpot(STILL, STILL_INPUTS, 4.76))).toEqual([]);
  });

  it("is not reported if a success occurs meanwhile or the player leaves the room", () => {
    const between = (step: Step) => [...stayInOneSpot(STILL, STILL_INPUTS), step].sort((a, b) => a[0] - b[0]);
    expect(findingsOf("stuck-point", between([50.5, "succeed", "cave"]))).toEqual([]);
    expect(findingsOf("stuck-point", between([50.5, "player_pos", "hall", { x: 0, y: 0 }]))).toEqual([]);
  });

  it("requires enough positions to measure the room", () => {
    expect(findingsOf("stuck-point", stayInOneSpot(STILL, STILL_INPUTS).slice(12))).toEqual([]);
    const point = stayInOneSpot(STILL, STILL_INPUTS).map(
      ([at, name, room]): Step =>
        room === undefined ? [at, name] : [at, name, room, { x: Number.NaN, y: 0 }],
    );
    expect(findingsOf("stuck-point", point)).toEqual([]);
  });
});

describe("a slow room", () => {
  /** Activity every 10 seconds for the given time, then a success. */
  const slow = (seconds: number): Step[] => [
    [0, "begin", "cave"],
    ...Array.from({ length: Math.floor(seconds / 10) - 1 }, (_, at): Step => [(at + 1) * 10, "press"]),
    [seconds, "succeed", "cave"],
    [seconds + 500, "walk"],
  ];
  const usualTime = (medianMs: number) => ({
    medianMs,
    sessions: 5,
    build: "1.0",
    environment: "production",
  });
  const usual = (ms: number) => ({ usualRoomTimes: new Map([["cave", usualTime(ms)]]) });
  const least = MIN_SLOW_MS / 1000;

  it("is reported from three times the median, and at least two minutes", () => {
    expect(findingsOf("stuck-point", slow(300), usual(100_001))).toEqual([]);
    const found = findingsOf("stuck-point", slow(300), usual(100_000));
    expect(found).toMatchObject([
      { tag: "stuck-point:cave", title: "Spent 5m in cave, compared with a median of 1m 40s" },
    ]);
    for (const finding of found) expectValid(finding);
    expect(findingsOf("stuck-point", slow(least - 1), usual(1000))).toEqual([]);
    expect(findingsOf("stuck-point", slow(least), usual(1000))).toHaveLength(1);
  });

  it("is not reported without other sessions", () => {
    expect(findingsOf("stuck-point", slow(3000))).toEqual([]);
    expect(
      findingsOf("stuck-point", slow(3000), { usualRoomTimes: new Map([["hall", usualTime(1)]]) }),
    ).toEqual([]);
  });

  it("is not reported in addition to a difficulty spike", () => {
    const fails = [1, 2, 3, 4, 5].map((at): Step => [at, "fail", "cave"]);
    const steps = [...slow(300), ...fails].sort((a, b) => a[0] - b[0]);
    expect(findingsOf("stuck-point", steps, usual(1000))).toEqual([]);
    const four = [...slow(300), ...fails.slice(1)].sort((a, b) => a[0] - b[0]);
    expect(tagsOf(findingsOf("stuck-point", four, usual(1000)))).toEqual(["stuck-point:cave"]);
  });
});

describe("the time in a room", () => {
  const times = (steps: readonly Step[]) =>
    [...measureRoomTimes(toRecordedSession(steps))].map(([room, { ms }]) => [room, ms]);

  it("ends with the first lasting success, and excludes idle time and long gaps", () => {
    const steps: Step[] = [
      [0, "begin", "cave"],
      [10, "press"],
      [20, "idle_start"],
      [80, "idle_end"],
      [90, "press"],
      [390, "press"],
      [400, "succeed", "cave"],
      [500, "press"],
    ];
    expect(times(steps)).toEqual([["cave", 20_000 + 10_000 + 60_000 + 10_000]]);
  });

  it("counts for the room that was named last", () => {
    const steps: Step[] = [
      [0, "press"],
      [5, "begin", "cave"],
      [10, "begin", "hall"],
      [30, "begin", "cave"],
      [37, "press"],
    ];
    expect(times(steps)).toEqual([
      ["cave", 12_000],
      ["hall", 20_000],
    ]);
    expect(
      times([
        [0, "begin", "x".repeat(201)],
        [5, "press"],
      ]),
    ).toEqual([]);
  });
});
