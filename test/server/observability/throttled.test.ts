/** What fails for every request is told once a minute, and how often it was met meanwhile. */
import { expect, it } from "vitest";
import { throttled } from "../../../src/server/observability/throttled.ts";

const started = () => {
  const told: string[] = [];
  const clock = { now: 1_772_000_000_000 };
  const report = throttled({
    now: () => clock.now,
    report: (message, error, requestId) =>
      void told.push(`${message}: ${(error as Error).message} ${requestId}`),
  });
  return { told, clock, report };
};

it("tells a fault once, and after a minute how many more there were", () => {
  const { told, clock, report } = started();
  for (let n = 0; n < 1000; n += 1) report(`POST /${n}`, new Error("disk I/O error"), `id-${n}`);
  expect(told).toEqual(["POST /0: disk I/O error id-0"]);
  clock.now += 60_000;
  for (let n = 0; n < 1000; n += 1) report("POST /x", new Error("disk I/O error"), "later");
  expect(told.slice(1)).toEqual(["POST /x (and 999 more since the last report): disk I/O error later"]);
});

it("tells others at once, and one that occurs alone without a number", () => {
  const { told, clock, report } = started();
  report("a", new Error("disk I/O error"), "1");
  report("b", new Error("database or disk is full"), "2");
  clock.now += 60_000;
  report("c", new Error("disk I/O error"), "3");
  expect(told).toEqual(["a: disk I/O error 1", "b: database or disk is full 2", "c: disk I/O error 3"]);
});

it("holds a bounded number of kinds", () => {
  const { told, report } = started();
  for (let n = 0; n < 101; n += 1) report("x", new Error(`${n}`), "1");
  report("again", new Error("0"), "2");
  expect(told).toHaveLength(102);
});
