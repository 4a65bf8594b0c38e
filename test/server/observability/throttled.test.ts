/** Throttled reports: a fault that affects every request is reported once a minute, with a count. */
import { expect, it } from "vitest";
import { throttled } from "../../../src/server/observability/throttled.ts";

const createReporter = () => {
  const reports: string[] = [];
  const clock = { elapsed: 5000 };
  const report = throttled({
    monotonicNow: () => clock.elapsed,
    report: (message, error, requestId) =>
      void reports.push(`${message}: ${(error as Error).message} ${requestId}`),
  });
  return { reports, clock, report };
};

it("reports a fault once, and after a minute how often it was repeated", () => {
  const { reports, clock, report } = createReporter();
  for (let n = 0; n < 1000; n += 1) report(`POST /${n}`, new Error("disk I/O error"), `id-${n}`);
  expect(reports).toEqual(["POST /0: disk I/O error id-0"]);
  clock.elapsed += 60_000;
  for (let n = 0; n < 1000; n += 1) report("POST /x", new Error("disk I/O error"), "later");
  expect(reports.slice(1)).toEqual(["POST /x (and 999 more since the last report): disk I/O error later"]);
});

it("reports other faults at once, and a single fault without a count", () => {
  const { reports, clock, report } = createReporter();
  report("a", new Error("disk I/O error"), "1");
  report("b", new Error("database or disk is full"), "2");
  clock.elapsed += 60_000;
  report("c", new Error("disk I/O error"), "3");
  expect(reports).toEqual(["a: disk I/O error 1", "b: database or disk is full 2", "c: disk I/O error 3"]);
});

it("remembers a bounded number of messages", () => {
  const { reports, report } = createReporter();
  for (let n = 0; n < 101; n += 1) report("x", new Error(`${n}`), "1");
  report("again", new Error("0"), "2");
  expect(reports).toHaveLength(102);
});
