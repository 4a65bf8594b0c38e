/** The hint of an inconclusive gate: which build has too few testers, and what to do about it. */
import { expect, test } from "vitest";
import { buildInconclusiveHint } from "../../src/cli/commands/gate/inconclusive-hint.ts";
import type { GateBuild } from "../../src/gate/build-comparison.ts";
import type { GateRules } from "../../src/gate/config.ts";
import { judge } from "../../src/gate/judge.ts";
import { build, gateInput } from "../gate/samples.ts";

const tags = { "confusion:x": 2, "confusion:y": 1 };
const few = (version: string) => build(version, 3, tags);
const some = (version: string) => build(version, 6, tags);
const many = (version: string) => build(version, 40, tags);

test.each<[what: string, a: GateBuild, b: GateBuild, config: GateRules, hasWaited: boolean, hint: string]>([
  [
    "b is below the minimum",
    many("1"),
    few("2"),
    {},
    false,
    "Gather more testers of 2 (--wait waits for them)",
  ],
  ["b is below the minimum after --wait", many("1"), few("2"), {}, true, "Gather more testers of 2"],
  ["a is below the minimum", few("1"), many("2"), {}, false, "Choose another baseline"],
  [
    "both are below the minimum",
    few("1"),
    few("2"),
    {},
    false,
    "Choose another baseline and gather more testers of 2 (--wait waits for them)",
  ],
  [
    "b has the minimum, but would miss a problem",
    many("1"),
    some("2"),
    { detectPoints: 20 },
    false,
    "Gather more testers of 2",
  ],
  [
    "a has the minimum, but a problem would be missed",
    build("1", 2, tags),
    many("2"),
    { minTesters: 2 },
    false,
    "Choose another baseline",
  ],
  [
    "b has too few testers for the rule of a tag",
    many("1"),
    build("2", 30, { "confusion:x": 25 }),
    { tags: [{ tag: "confusion:x", minTesters: 35 }] },
    false,
    "Gather more testers of 2",
  ],
  [
    "a limit has no value",
    many("1"),
    many("2"),
    { limits: { engagementRate: { min: 0.5 } } },
    false,
    "Check the limits in rules.json",
  ],
])("%s", (_what, a, b, config, hasWaited, hint) => {
  const verdict = judge(gateInput(a, b, { config }));
  expect(verdict.verdict).toBe("inconclusive");
  const context = { isUnfinished: false, hasWaited, rulesFile: "rules.json" };
  expect(buildInconclusiveHint(verdict, config, context)).toBe(
    `${hint}, or set --on-inconclusive to pass or warn.`,
  );
});
