/** Positive moments: quick success on the first try. */
import { expect, it } from "vitest";
import {
  ENTRY_MS,
  MAX_MOMENTS,
  QUICK_MS,
  SMOOTH_MIN_ROOMS,
} from "../../../../src/server/analysis/rules/positive-moment.ts";
import { LASTING_MS } from "../../../../src/server/analysis/rules/rooms.ts";
import { findingsOf, type Step, tagsOf } from "../recorded-sessions.ts";

const moments = (steps: readonly Step[]) => findingsOf("positive-moment", steps);
/** A first room with a failure, so that later successes are not a matter of course. */
const before: Step[] = [
  [0, "begin", "first"],
  [10, "fail", "first"],
  [20, "succeed", "first"],
];
const entered: Step = [100, "begin", "a"];

it("reports a success soon after entering a room", () => {
  const limit = 100 + QUICK_MS / 1000;
  expect(moments([...before, entered, [limit, "succeed", "a"]])).toMatchInlineSnapshot(`
    [
      {
        "confidence": 0.5,
        "evidence": "First success in a 30s after entering, with no failed try before it (threshold: 30s): events e3, e4",
        "sentiment": "positive",
        "tag": "positive-moment:a",
        "title": "Succeeded in a on the first try in 30s",
        "type": "positive-moment",
      },
    ]
  `);
  expect(moments([...before, entered, [limit + 0.001, "succeed", "a"]])).toEqual([]);
});

it("is more confident about quicker successes", () => {
  const sure = (took: number) => moments([...before, entered, [100 + took, "succeed", "a"]])[0]?.confidence;
  expect([5, 15, 30].map(sure)).toEqual([0.75, 0.65, 0.5]);
});

it("ignores a success on entering, which reflects the initial state", () => {
  const limit = 100 + ENTRY_MS / 1000;
  expect(moments([...before, entered, [limit, "succeed", "a"]])).toEqual([]);
  expect(moments([...before, entered, [limit + 0.001, "succeed", "a"]])).toHaveLength(1);
});

it("ignores a success after a failed try, except for a failure on entering", () => {
  const limit = 100 + ENTRY_MS / 1000;
  const success: Step = [120, "succeed", "a"];
  expect(moments([...before, entered, [limit, "fail", "a"], success])).toHaveLength(1);
  expect(moments([...before, entered, [limit + 0.001, "fail", "a"], success])).toEqual([]);
});

it("ignores a success that did not last", () => {
  const success: Step = [105, "succeed", "a"];
  const undone = 105 + LASTING_MS / 1000;
  expect(moments([...before, entered, success, [undone, "fail", "a"]])).toEqual([]);
  expect(moments([...before, entered, success, [undone + 0.001, "fail", "a"]])).toHaveLength(1);
});

it("ignores a success after giving up in the room", () => {
  expect(moments([...before, entered, [101, "skip_button", "a"], [105, "succeed", "a"]])).toEqual([]);
});

it("ignores the first room and rooms that the player returns to", () => {
  const first: Step[] = [
    [0, "begin", "first"],
    [5, "succeed", "first"],
    [10, "fail", "a"],
  ];
  const back: Step[] = [
    [60, "begin", "a"],
    [65, "succeed", "a"],
  ];
  expect(moments([...first, ...back])).toEqual([]);
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
