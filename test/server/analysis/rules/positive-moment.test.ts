/** Positive moments: quick success on the first try. */
import { expect, it } from "vitest";
import { SETTLE_MS } from "../../../../src/server/analysis/attempts.ts";
import {
  MAX_MOMENTS,
  QUICK_MS,
  SMOOTH_MIN_ROOMS,
} from "../../../../src/server/analysis/rules/positive-moment.ts";
import { findingsOf, type Step, tagsOf, withoutClaims } from "../recorded-sessions.ts";

const moments = (steps: readonly Step[]) => findingsOf("positive-moment", steps);
/** A first room with a failure, so that later successes are not a matter of course. */
const before: Step[] = [
  [0, "begin", "first"],
  [10, "death", "first"],
  [20, "complete", "first"],
];
const entered: Step = [100, "begin", "a"];

it("reports a success soon after entering a room", () => {
  const limit = 100 + QUICK_MS / 1000;
  const found = moments([...before, entered, [limit, "complete", "a"]]);
  expect(withoutClaims(found)).toMatchInlineSnapshot(`
    [
      {
        "confidence": 0.4,
        "evidence": "In this session, the first success in a came 30s after entering, with no failure or restart before it (threshold: 30s): events e3, e4",
        "sentiment": "positive",
        "tag": "positive-moment:a",
        "title": "Succeeded in a in 30s, on the first try in this session",
        "type": "positive-moment",
      },
    ]
  `);
  expect(found[0]?.claims).toEqual([
    { kind: "first-try", room: "a", entered: "e3", success: "e4", ms: 30_000 },
  ]);
  expect(moments([...before, entered, [limit + 0.001, "complete", "a"]])).toEqual([]);
});

it("is stronger for quicker successes", () => {
  const strength = (took: number) =>
    moments([...before, entered, [100 + took, "complete", "a"]])[0]?.confidence;
  expect([5, 15, 30].map(strength)).toEqual([0.57, 0.5, 0.4]);
});

it("ignores a success on entering, which reflects the initial state", () => {
  const limit = 100 + SETTLE_MS / 1000;
  expect(moments([...before, entered, [limit - 0.001, "complete", "a"]])).toEqual([]);
  expect(moments([...before, entered, [limit, "complete", "a"]])).toHaveLength(1);
});

it.each(["death", "fail", "reset", "begin", "skip_button"])("ignores a success after %s", (name) => {
  const success: Step = [120, "complete", "a"];
  expect(moments([...before, entered, success])).toHaveLength(1);
  expect(moments([...before, entered, [105, name, "a"], success])).toEqual([]);
});

it.each(["death", "reset", "quit"])("ignores a success after %s without a room", (name) => {
  expect(moments([...before, entered, [105, name], [120, "complete", "a"]])).toEqual([]);
});

it("does not count the initial state, or a control that crosses the solution, as a failure", () => {
  const states: Step[] = [
    [100, "fail", "a"],
    [110, "succeed", "a"],
    [110.2, "fail", "a"],
    [110.4, "succeed", "a"],
  ];
  expect(moments([...before, entered, ...states, [112, "complete", "a"]])).toHaveLength(1);
});

it("ignores the first room, rooms that the player returns to, and rooms that are started again", () => {
  const first: Step[] = [
    [0, "begin", "first"],
    [5, "complete", "first"],
    [10, "death", "a"],
  ];
  const back: Step[] = [
    [60, "begin", "a"],
    [65, "complete", "a"],
  ];
  expect(moments([...first, ...back])).toEqual([]);
  expect(moments([...before, entered, [110, "complete", "a"], [111, "begin", "a"]])).toEqual([]);
});

it("requires a failure elsewhere, or several rooms", () => {
  const smooth = (count: number) =>
    Array.from({ length: count }, (_, at) => at).flatMap((at): Step[] => [
      [at * 10, "begin", `r${at}`],
      [at * 10 + 5, "complete", `r${at}`],
    ]);
  expect(moments(smooth(SMOOTH_MIN_ROOMS - 1))).toEqual([]);
  expect(tagsOf(moments(smooth(SMOOTH_MIN_ROOMS)))).toEqual(["positive-moment:r1", "positive-moment:r2"]);
  expect(moments(smooth(20))).toHaveLength(MAX_MOMENTS);
  expect(tagsOf(moments(smooth(20))).at(-1)).toBe("positive-moment:r19");
});
