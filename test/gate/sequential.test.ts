/** Repeated runs: which builds and rules are the same. */
import { expect, test } from "vitest";
import type { GateRules } from "../../src/gate/config.ts";
import { describeRuleChanges, listSequentialRules } from "../../src/gate/sequential-rules.ts";
import { build, gateInput } from "./samples.ts";

test("compares the builds and rules of repeated runs by value", () => {
  const [a, b, c] = [build("1", 20), build("2", 20), build("3", 20)];
  const rules = (to: typeof b, config: GateRules) =>
    listSequentialRules(gateInput([], { a, b: to, config }), 40);
  const one = rules(b, { tags: [{ tag: "x", level: "warn" }], failOn: ["introduced", "got_larger"] });
  const same = rules(b, {
    tags: [{ level: "warn", tag: "x" }],
    failOn: ["got_larger", "introduced"],
    confidence: 0.95,
    onInconclusive: "pass",
  });
  expect(describeRuleChanges(JSON.parse(JSON.stringify(one)), same)).toEqual([]);
  expect(describeRuleChanges(one, rules(c, { minTesters: 8 }))).toEqual([
    "build to check (was 2, now 3)",
    "minTesters (was 5, now 8)",
    "failOn",
    "tags",
  ]);
});

test("continues runs that stored no rules for metrics", () => {
  const rules = (config: GateRules) => listSequentialRules(gateInput([], { config }), 40);
  const { metrics: _, onlyMetrics: __, ...stored } = rules({});
  expect(describeRuleChanges(stored, rules({}))).toEqual([]);
  const limited = rules({ metrics: { memory: { max: 900 } }, onlyMetrics: ["memory"] });
  expect(describeRuleChanges(stored, limited)).toEqual(["metrics", "onlyMetrics"]);
  expect(describeRuleChanges(limited, rules({}))).toEqual(["metrics", "onlyMetrics"]);
});
