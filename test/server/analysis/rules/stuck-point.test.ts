/** Stuck points: staying in one spot with input, and rooms that take far longer than in other sessions. */
import { describe, expect, it } from "vitest";
import { MAX_POSITION_GAP_MS } from "../../../../src/server/analysis/rules/movement.ts";
import { measureRoomTimes } from "../../../../src/server/analysis/rules/room-times.ts";
import { MIN_SLOW_MS, STILL_INPUTS, STILL_MS } from "../../../../src/server/analysis/rules/stuck-point.ts";
import { readPlay } from "../../../../src/server/analysis/session-play.ts";
import { expectValid, findingsOf, type Step, toRecordedSession } from "../recorded-sessions.ts";

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
        title: "Stayed in one spot in cave for 45s, with 10 other events of play",
        confidence: 0.3,
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
    expect(findingsOf("stuck-point", between([50.5, "complete", "cave"]))).toEqual([]);
    expect(findingsOf("stuck-point", between([50.5, "player_pos", "hall", { x: 0, y: 0 }]))).toEqual([]);
  });

  it("ends with a pause, a gap in the positions, or an event in another room", () => {
    const between = (step: Step) => [...stayInOneSpot(STILL, STILL_INPUTS), step].sort((a, b) => a[0] - b[0]);
    expect(findingsOf("stuck-point", between([50.5, "focus_lost"]))).toEqual([]);
    expect(findingsOf("stuck-point", between([50.5, "open_map", "hall"]))).toEqual([]);
    expect(findingsOf("stuck-point", between([50.5, "session_heartbeat"]))).toHaveLength(1);
    const gap = MAX_POSITION_GAP_MS / 1000;
    const sparse = (every: number) => [
      ...stayInOneSpot(1, 0),
      ...Array.from({ length: 6 }, (_, at): Step => [31 + at * every, "player_pos", "cave", { x: 50, y: 0 }]),
      ...Array.from({ length: STILL_INPUTS }, (_, at): Step => [31.5 + at, "press_e"]),
    ];
    const sorted = (every: number) => sparse(every).sort((a, b) => a[0] - b[0]);
    expect(findingsOf("stuck-point", sorted(gap))).toHaveLength(1);
    expect(findingsOf("stuck-point", sorted(gap + 0.001))).toEqual([]);
  });

  it("does not count faults of the game, or events after the last position, as events of play", () => {
    const nine = stayInOneSpot(STILL, STILL_INPUTS - 1);
    for (const name of ["fps_drop", "application_error", "crash_reported"]) {
      const steps = [...nine, [50.5, name] as Step].sort((a, b) => a[0] - b[0]);
      expect(findingsOf("stuck-point", steps)).toEqual([]);
    }
    expect(findingsOf("stuck-point", [...nine, [30 + STILL + 1, "press_e"]])).toEqual([]);
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
    [seconds, "complete", "cave"],
    [seconds + 500, "walk"],
  ];
  const usualTime = (medianMs: number) => ({
    medianMs,
    sessions: 5,
    build: "1.0",
    environment: "production",
  });
  const usual = (medianMs: number, room = "cave") => ({
    usualRoomTimes: new Map([[room, { medianMs, sessions: 12, build: "0.8.0", environment: "production" }]]),
  });
  const least = MIN_SLOW_MS / 1000;

  it("is reported from three times the median, and at least two minutes", () => {
    expect(findingsOf("stuck-point", slow(300), usual(100_001))).toEqual([]);
    const found = findingsOf("stuck-point", slow(300), usual(100_000));
    expect(found).toMatchObject([
      {
        tag: "stuck-point:cave",
        title:
          "Spent 5m in cave before the first success; the median of 12 sessions of build 0.8.0 is 1m 40s",
        evidence:
          "Spent 5m in cave before the first success; the median time to the first success in 12 sessions of build 0.8.0 in production is 1m 40s (threshold: 3 times the median, and at least 2m): events e0, e30",
        claims: [
          { kind: "events", ids: ["e0", "e30"], names: ["begin", "complete"], count: 2 },
          { kind: "successes", room: "cave", ids: ["e30"], count: 1, from: null, to: "e30" },
          { kind: "room-time", room: "cave", ms: 300_000, from: "e0", until: "e30" },
          {
            kind: "usual-time",
            room: "cave",
            build: "0.8.0",
            environment: "production",
            sessions: 12,
            medianMs: 100_000,
          },
        ],
      },
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

  it("is reported for later play that the player started again", () => {
    const again: Step[] = [
      [0, "begin", "cave"],
      [9, "complete", "cave"],
      ...slow(300).map(([at, ...rest]): Step => [at + 20, ...rest]),
    ];
    const titles = (steps: readonly Step[]) =>
      findingsOf("stuck-point", steps, usual(10_000)).map(({ title }) => title);
    expect(titles(again)[0]).toMatch(/^Spent 5m in cave before the next success; /);
    expect(titles(again.filter(([, name]) => name !== "begin"))).toEqual([]);
    expect(titles(again.slice(0, -2))[0]).toMatch(/^Spent 4m 50s in cave without another success; /);
  });
});

describe("the time in a room", () => {
  const times = (steps: readonly Step[]) =>
    [...measureRoomTimes(readPlay(toRecordedSession(steps)))].map(([room, { ms }]) => [room, ms]);

  it("ends with the first success, and excludes idle time and long gaps", () => {
    const steps: Step[] = [
      [0, "begin", "cave"],
      [10, "press"],
      [20, "idle_start"],
      [80, "idle_end"],
      [90, "press"],
      [390, "press"],
      [400, "complete", "cave"],
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
