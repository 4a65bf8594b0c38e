/** Long idle: two minutes without input before the player resumes. */
import { expect, it } from "vitest";
import { LONG_IDLE_MS } from "../../../../src/server/analysis/rules/long-idle.ts";
import { expectValid, findingsOf, type Step, tagsOf } from "../recorded-sessions.ts";

const LONG = LONG_IDLE_MS / 1000;
const idle = (seconds: number, ...after: Step[]): Step[] => [
  [0, "walk", "hall"],
  [10, "idle_start"],
  [10 + seconds, "idle_end"],
  ...after,
];

it("reports at least two minutes, with the room", () => {
  expect(findingsOf("pacing-issue", idle(LONG - 1, [500, "walk"]))).toEqual([]);
  const found = findingsOf("pacing-issue", idle(LONG, [500, "walk"]));
  expect(found).toMatchObject([{ tag: "pacing-issue:hall", title: "Idle for 2m in hall", confidence: 0.3 }]);
  for (const finding of found) expectValid(finding);
});

it("reports nothing if the player never resumed", () => {
  expect(findingsOf("pacing-issue", idle(LONG))).toEqual([]);
  expect(findingsOf("pacing-issue", idle(LONG, [500, "session_summary"]))).toEqual([]);
});

it("ends the period at the next activity if idle_end is missing", () => {
  const steps: Step[] = [
    [0, "walk", "hall"],
    [10, "idle_start"],
    [10 + LONG, "walk"],
  ];
  expect(findingsOf("pacing-issue", steps)).toHaveLength(1);
});

it("reports the longest period of each room", () => {
  const again: Step[] = [
    [500, "walk"],
    [510, "idle_start"],
    [900, "idle_end"],
    [901, "walk", "attic"],
  ];
  const found = findingsOf("pacing-issue", idle(LONG, ...again));
  expect([tagsOf(found), found[0]?.title]).toEqual([["pacing-issue:hall"], "Idle for 6m 30s in hall"]);
});

it("names the room in which the period started", () => {
  const steps: Step[] = [
    [0, "walk", "hall"],
    [10, "idle_start", "attic"],
    [10 + LONG, "idle_end", "cellar"],
    [500, "walk", "hall"],
  ];
  const [found] = findingsOf("pacing-issue", steps);
  expect(found?.tag).toBe("pacing-issue:attic");
  expect(found?.claims).toEqual([{ kind: "idle", room: "attic", from: "e1", to: "e2", ms: LONG_IDLE_MS }]);
});
