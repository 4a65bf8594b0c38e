/** The rules of the gate: rules for a tag, tag patterns, and invalid configs. */

import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type GateConfig, type GateRules, gateConfig } from "../../src/gate/config.ts";
import { matchesTagPattern, resolveRule } from "../../src/gate/resolve-rule.ts";
import fc from "../property.ts";

describe("patterns", () => {
  test.each<[pattern: string, tag: string, matches: boolean]>([
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
  ])("%j matches %j: %j", (pattern, tag, matches) => {
    expect(matchesTagPattern(pattern, tag)).toBe(matches);
  });

  test("match the same tags as an equivalent regular expression", () => {
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

  test("match quickly where a regular expression would backtrack", () => {
    expect(matchesTagPattern(`${"*a".repeat(99)}*b`, `${"a".repeat(5000)}c`)).toBe(false);
    expect(matchesTagPattern(`${"*a".repeat(99)}*c`, `${"a".repeat(5000)}c`)).toBe(true);
  });
});

describe("the rule for a tag", () => {
  test("has defaults without a config", () => {
    const general = { maxIncreasePoints: 10, minTesters: 5, confidence: 0.95 };
    expect(resolveRule({}, "introduced", "x")).toEqual({ level: "error", ...general });
    expect(resolveRule({}, "got_larger", "x")).toEqual({ level: "error", ...general });
    expect(resolveRule({}, "carried_over", "x")).toEqual({ level: "error", ...general });
  });

  test("takes each field from the tag, then the kind, then the general rules", () => {
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

  test("judges carried-over tags by the size of their increase, unless they have a separate rule", () => {
    const config: GateConfig = { kinds: { got_larger: { level: "warn", maxIncreasePoints: 5 } } };
    expect(resolveRule(config, "carried_over", "x")).toMatchObject({ level: "warn", maxIncreasePoints: 5 });
    const own: GateConfig = { kinds: { ...config.kinds, carried_over: { level: "off" } } };
    expect(resolveRule(own, "carried_over", "x")).toMatchObject({ level: "off", maxIncreasePoints: 5 });
    expect(resolveRule({ failOn: ["got_larger"] }, "carried_over", "x").level).toBe("error");
    expect(resolveRule({ failOn: ["introduced"] }, "carried_over", "x").level).toBe("off");
  });

  test("uses only the last matching tag rule", () => {
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

  test("turns off kinds that --fail-on does not list, and keeps the level of tag rules for listed kinds", () => {
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

  test.each(["resolved", "got_smaller", "a_later_kind"])("is always off for the kind %s", (kind) => {
    expect(resolveRule({ tags: [{ tag: "*", level: "error" }] }, kind, "x").level).toBe("off");
  });
});

describe("an invalid config", () => {
  test.each<[what: string, config: unknown, path: string]>([
    ["an unknown setting", { maxnew: 1 }, ""],
    ["an unknown level", { tags: [{ tag: "x", level: "fatal" }] }, "tags.0.level"],
    ["an exception without a reason", { allow: [{ tag: "x", expires: "2026-01-01" }] }, "allow.0.reason"],
    ["an exception without an end", { allow: [{ tag: "x", reason: "r" }] }, "allow.0.expires"],
    ["an invalid date", { allow: [{ tag: "x", reason: "r", expires: "2026-02-30" }] }, "allow.0.expires"],
    ["a confidence of 1", { confidence: 1 }, "confidence"],
    ["a minimum of 0 testers", { minTesters: 0 }, "minTesters"],
    ["a fraction of a tag", { maxNew: 0.5 }, "maxNew"],
    ["a limit without a bound", { limits: { engagementRate: {} } }, "limits.engagementRate"],
    [
      "a limit with only a level",
      { limits: { bugReportsPerSession: { level: "warn" } } },
      "limits.bugReportsPerSession",
    ],
    ["a rule for a kind that is never checked", { kinds: { resolved: { level: "error" } } }, "kinds"],
  ])("with %s is rejected", (_what, config, path) => {
    const { error } = gateConfig.safeParse(config);
    expect(error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  test("names the missing bounds of a limit, also in the JSON Schema", () => {
    const { error } = gateConfig.safeParse({ limits: { engagementRate: {} } });
    expect(error?.issues[0]?.message).toBe("must have min or maxDropPoints, or both");
    expect(z.toJSONSchema(gateConfig)).toMatchObject({
      properties: {
        limits: {
          properties: { engagementRate: { anyOf: [{ required: ["min"] }, { required: ["maxDropPoints"] }] } },
        },
      },
    });
  });
});
