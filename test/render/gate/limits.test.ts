/** Limits in the gate's reports: values beyond the limit that were not checked or are not significant. */
import { expect, test } from "vitest";
import type { LimitFinding } from "../../../src/gate/verdict.ts";
import { gateJunit } from "../../../src/render/gate/junit.ts";
import { gateComment } from "../../../src/render/gate/markdown.ts";
import { gateView } from "../../../src/render/gate/text.ts";
import { passedVerdict } from "../../gate/samples.ts";
import { NOW } from "../../harness.ts";
import { terminal } from "../samples.ts";

const limit: LimitFinding = {
  name: "bugReportsPerSession",
  status: "unknown",
  reason: "too few testers",
  expected: "at most 1",
  found: "9.00",
  interval: null,
};
const withLimit = (changes: Partial<LimitFinding> = {}) => ({
  ...passedVerdict(),
  limits: [{ ...limit, ...changes }],
});

test.each<[Partial<LimitFinding>, string]>([
  [{}, "not checked (too few testers)"],
  [{ status: "noise", reason: null }, "may be chance"],
  [{ status: "failed", reason: null }, "failed"],
])("%j is shown as %s", (changes, result) => {
  const verdict = withLimit(changes);
  const view = gateView(verdict, terminal({ width: 100, wide: true }));
  expect(view).toMatch(
    new RegExp(`${result.replace(/[()]/g, "\\$&")} +bugReportsPerSession +9\\.00, limit: at most 1`),
  );
  expect(gateComment(verdict)).toContain(`| ${result} | bugReportsPerSession | at most 1 | 9.00 |`);
});

test("is a line of the terminal only if it is crossed", () => {
  const shown = (status: LimitFinding["status"]) =>
    gateView(withLimit({ status, reason: null }), terminal({ width: 100 }));
  expect(shown("failed")).toContain("  bugReportsPerSession is 9.00 (limit: at most 1)\n");
  expect(shown("warned")).toContain("  bugReportsPerSession is 9.00 (limit: at most 1), a warning\n");
  for (const status of ["noise", "unknown", "passed"] as const)
    expect(shown(status)).not.toContain("bugReportsPerSession");
});

test("is a skipped case of JUnit with its reason", () => {
  expect(gateJunit(withLimit(), { now: NOW, onInconclusive: "fail" })).toContain(
    '<skipped message="bugReportsPerSession is 9.00 (limit: at most 1): not checked (too few testers)"',
  );
});
