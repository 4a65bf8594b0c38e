/** The hint of an inconclusive gate: what is missing, and what to do about it. */
import { expect, test } from "vitest";
import { buildInconclusiveHint } from "../../src/cli/commands/gate/conclusion.ts";
import type { GateInput } from "../../src/gate/gate-input.ts";
import { judge } from "../../src/gate/judge.ts";
import { build, gateInput, row, worse } from "../gate/samples.ts";

const rows = [row("confusion:x", [2, 20], [2, 22])];
const few = (version: string) => build(version, 3);
const many = (version: string) => build(version, 40);
const unanalyzed = { a: many("1"), b: build("2", 40, { ended: 40, analyzed: 10 }) };

test.each<[what: string, changes: Partial<GateInput>, hasWaited: boolean, hint: string]>([
  [
    "b is below the minimum",
    { a: many("1"), b: few("2") },
    false,
    "Gather more testers of 2 (--wait waits for them)",
  ],
  ["b is below the minimum after --wait", { a: many("1"), b: few("2") }, true, "Gather more testers of 2"],
  ["a is below the minimum", { a: few("1"), b: many("2") }, false, "Choose another baseline"],
  [
    "both are below the minimum",
    { a: few("1"), b: few("2") },
    false,
    "Choose another baseline and gather more testers of 2 (--wait waits for them)",
  ],
  ["b is not analyzed", unanalyzed, false, "Use --wait, which waits for the analyses"],
  ["b is not analyzed after --wait", unanalyzed, true, "Increase --wait"],
  [
    "analyses failed",
    { ...unanalyzed, notes: ["30 sessions of 2 could not be analyzed."] },
    false,
    "Retry each of `playtest sessions list --status failed` with `playtest admin sessions retry <id>`",
  ],
  [
    "the rules of the analysis differ",
    {
      rows: [
        row("confusion:x", [2, 20], [2, 22], { status: "not comparable", reason: "different analyses" }),
      ],
    },
    false,
    "Run the gate again later, save the baseline again",
  ],
  ["a problem would be missed", { config: { detectPoints: 15 } }, false, "Gather more testers"],
  [
    "the rule of a tag needs more testers",
    {
      rows: [worse("confusion:x", [2, 20], [18, 22])],
      config: { tags: [{ tag: "confusion:x", minTesters: 35 }] },
    },
    false,
    "Gather more testers",
  ],
  [
    "the rules turn everything off",
    { config: { tags: [{ tag: "*", level: "off" }] } },
    false,
    "Check the rules in rules.json",
  ],
  [
    "a limit has no value",
    { config: { limits: { engagementRate: { min: 0.5 } } } },
    false,
    "Check the limits in rules.json",
  ],
])("%s", (_what, changes, hasWaited, hint) => {
  const input = gateInput(rows, changes);
  const verdict = judge(input);
  expect(verdict.verdict).toBe("inconclusive");
  const found = buildInconclusiveHint(verdict, input.config, { hasWaited, rulesFile: "rules.json" });
  expect(found).toBe(`${hint}, or set --on-inconclusive to pass or warn.`);
});
