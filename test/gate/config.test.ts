/** The rules of a gate: which holds for a tag, which tags a pattern means, and what a config may not hold. */

import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  type GateConfig,
  type GateRules,
  gateConfig,
  matchesTagPattern,
  resolveRule,
} from "../../src/gate/config.ts";
import fc from "../property.ts";

describe("patterns", () => {
  test.each<[pattern: string, tag: string, means: boolean]>([
    ["confusion", "confusion", true],
    ["confusion", "confusion:map", false],
    ["bug-report:*", "bug-report:", true],
    ["bug-report:*", "bug-report:save", true],
    ["bug-report:*", "bug-report", false],
    ["*", "", true],
    ["*:level-*", "stuck-point:level-09", true],
    ["*level-09", "stuck-point:level-09", true],
    ["a*a", "a", false],
    ["a*b*a", "aba", true],
    ["ab*ba", "aba", false],
    ["*ab*ab*", "ab", false],
    ["*ab*ab*", "abab", true],
    ["a*bc*c", "abc", false],
    ["a**b", "ab", true],
    [".*", "anything", false],
    ["(a+)+$", "(a+)+$", true],
    ["Confusion", "confusion", false],
  ])("%j means %j: %j", (pattern, tag, means) => {
    expect(matchesTagPattern(pattern, tag)).toBe(means);
  });

  test("mean what a regular expression would, for any of them", () => {
    const short = fc.string({ unit: fc.constantFrom("a", "b", "*", "."), maxLength: 8 });
    fc.assert(
      fc.property(
        short,
        fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 10 }),
        (pattern, tag) => {
          const source = pattern.split("*").map((part) => part.replaceAll(".", "\\."));
          expect(matchesTagPattern(pattern, tag)).toBe(new RegExp(`^${source.join("[^]*")}$`).test(tag));
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("that would send a regular expression astray end at once", () => {
    // By backtracking, this takes longer than the universe is old.
    expect(matchesTagPattern(`${"*a".repeat(99)}*b`, `${"a".repeat(5000)}c`)).toBe(false);
    expect(matchesTagPattern(`${"*a".repeat(99)}*c`, `${"a".repeat(5000)}c`)).toBe(true);
  });
});

describe("the rule of a tag", () => {
  test("without a config", () => {
    const general = { maxIncreasePoints: 10, minTesters: 5, confidence: 0.95 };
    expect(resolveRule({}, "introduced", "x")).toEqual({ level: "error", ...general });
    expect(resolveRule({}, "got_larger", "x")).toEqual({ level: "error", ...general });
    expect(resolveRule({}, "carried_over", "x")).toEqual({ level: "off", ...general });
  });

  test("tag before kind before general, field by field", () => {
    const config: GateConfig = {
      minTesters: 8,
      confidence: 0.9,
      maxIncreasePoints: 15,
      kinds: { introduced: { level: "warn", confidence: 0.99 }, got_larger: { minTesters: 12 } },
      tags: [{ tag: "crash:*", level: "error", maxIncreasePoints: 0 }],
    };
    expect(resolveRule(config, "introduced", "crash:save")).toEqual({
      level: "error",
      maxIncreasePoints: 0,
      minTesters: 8,
      confidence: 0.99,
    });
    expect(resolveRule(config, "got_larger", "x")).toEqual({
      level: "error",
      maxIncreasePoints: 15,
      minTesters: 12,
      confidence: 0.9,
    });
    expect(resolveRule(config, "carried_over", "crash:save").level).toBe("error");
  });

  test("the last of the tag rules that match holds, whole", () => {
    const config: GateConfig = {
      tags: [
        { tag: "*", level: "warn", minTesters: 9 },
        { tag: "crash:*", level: "off" },
        { tag: "confusion", level: "error" },
      ],
    };
    expect(resolveRule(config, "introduced", "crash:save")).toMatchObject({ level: "off", minTesters: 5 });
    expect(resolveRule(config, "introduced", "other")).toMatchObject({ level: "warn", minTesters: 9 });
  });

  test("kinds that --fail-on leaves out are off for every tag; of the others tag rules keep theirs", () => {
    const rules: GateRules = {
      kinds: { introduced: { level: "error" }, got_larger: { level: "off" } },
      tags: [
        { tag: "crash:*", level: "error" },
        { tag: "slow:*", level: "warn" },
      ],
      failOn: ["introduced"],
    };
    expect(resolveRule(rules, "got_larger", "crash:save").level).toBe("off");
    expect(resolveRule(rules, "introduced", "slow:start").level).toBe("warn");
    expect(resolveRule(rules, "introduced", "other").level).toBe("error");
    expect(resolveRule({ ...rules, failOn: ["got_larger"] }, "got_larger", "other").level).toBe("error");
  });

  test.each(["resolved", "got_smaller", "a_later_kind"])("%s is never judged", (kind) => {
    expect(resolveRule({ tags: [{ tag: "*", level: "error" }] }, kind, "x").level).toBe("off");
  });
});

describe("what a config may not hold", () => {
  test.each<[what: string, config: unknown, path: string]>([
    ["a name that is not known", { maxnew: 1 }, ""],
    ["a level that is not known", { tags: [{ tag: "x", level: "fatal" }] }, "tags.0.level"],
    ["an allowance without a reason", { allow: [{ tag: "x", expires: "2026-01-01" }] }, "allow.0.reason"],
    ["an allowance without an end", { allow: [{ tag: "x", reason: "r" }] }, "allow.0.expires"],
    ["a day that is none", { allow: [{ tag: "x", reason: "r", expires: "2026-02-30" }] }, "allow.0.expires"],
    ["no certainty", { confidence: 1 }, "confidence"],
    ["no testers", { minTesters: 0 }, "minTesters"],
    ["part of a tag", { maxNew: 0.5 }, "maxNew"],
    ["a limit without a bound", { limits: { engagementRate: {} } }, "limits.engagementRate"],
    ["a level alone", { limits: { bugReportsPerSession: { level: "warn" } } }, "limits.bugReportsPerSession"],
    ["a rule for a kind that is never worse", { kinds: { resolved: { level: "error" } } }, "kinds"],
  ])("%s", (_what, config, path) => {
    const { error } = gateConfig.safeParse(config);
    expect(error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  test("a limit without a bound is told which it takes, by the schema too", () => {
    const { error } = gateConfig.safeParse({ limits: { engagementRate: {} } });
    expect(error?.issues[0]?.message).toBe("takes min or maxDropPoints, or both");
    expect(z.toJSONSchema(gateConfig)).toMatchObject({
      properties: {
        limits: {
          properties: { engagementRate: { anyOf: [{ required: ["min"] }, { required: ["maxDropPoints"] }] } },
        },
      },
    });
  });
});
