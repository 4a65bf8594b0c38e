/** Low frame rate: three drops in one room. */
import { expect, it } from "vitest";
import { expectValid, findingsOf, repeated, tagsOf } from "../recorded-sessions.ts";

const drops = (count: number, room: string) => repeated(count, "fps_drop", room);

it("reports at least three drops in a room", () => {
  expect(findingsOf("bug-report", drops(2, "cave"))).toEqual([]);
  const found = findingsOf("bug-report", drops(3, "cave"));
  expect(found).toMatchObject([{ tag: "bug-report:frame-rate-cave", confidence: 0.5 }]);
  for (const finding of found) expectValid(finding);
  expect(found[0]?.evidence).toContain("threshold: 3 drops): events e0, e1, e2");
});

it("counts drops per room, and drops without a room for the session", () => {
  expect(findingsOf("bug-report", [...drops(2, "cave"), ...drops(2, "hall")])).toEqual([]);
  const nowhere = [1, 2, 3].map((at) => [at, "fps_drop"] as const);
  expect(tagsOf(findingsOf("bug-report", nowhere))).toEqual(["bug-report:frame-rate-session"]);
});

it("includes the lowest valid rate", () => {
  const steps = [22.4, 12, -1, Number.NaN].map((fps, at) => [at, "fps_drop", "cave", { fps }] as const);
  expect(findingsOf("bug-report", steps)[0]?.title).toBe("Low frame rate in cave: 4 drops, down to 12 fps");
});

it("has another tag than a crash in a room that is named like it", () => {
  const found = findingsOf("bug-report", [...drops(3, "cave"), [50, "crash_reported", "frame-rate-cave"]]);
  expect(tagsOf(found)).toEqual(["bug-report:frame-rate-cave", "bug-report:room--frame-rate-cave"]);
});

it("rounds the lowest rate, also if it is the first", () => {
  const steps = [12.6, 13, 14].map((fps, at) => [at, "fps_drop", "cave", { fps }] as const);
  const [found] = findingsOf("bug-report", steps);
  expect(found?.title).toBe("Low frame rate in cave: 3 drops, down to 13 fps");
  expect(found?.claims).toEqual([
    { kind: "frame-drops", room: "cave", ids: ["e0", "e1", "e2"], count: 3, lowestFps: 13 },
  ]);
});
