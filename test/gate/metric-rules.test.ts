/** Rules for metrics of performance: which rows decide, their limits, and the maxima of build b. */
import { describe, expect, test } from "vitest";
import type { GateRules } from "../../src/gate/config.ts";
import { judge } from "../../src/gate/judge.ts";
import { judgeLimits } from "../../src/gate/limits.ts";
import type { TitledRow } from "../../src/scorecard/titled-rows.ts";
import { group, session, tester } from "../scorecard/facts.ts";
import { build, gateInput, row, worse } from "./samples.ts";

/** A mean of a room that is significantly worse. */
function slower(name: string, before: number, after: number, changes: Partial<TitledRow> = {}): TitledRow {
  const metric = `${name}:dock`;
  const side = (value: number) => ({ total: 20, count: null, value });
  return {
    ...worse(metric, [0, 20], [0, 20]),
    ...{ id: metric, metric, name, subject: "dock", family: "performance", unit: "ms" },
    ...{ a: side(before), b: side(after), difference: after - before, limit: null },
    ...changes,
  };
}

const calm = row("confusion:map", [5, 20], [5, 22]);

function ruleOn(one: TitledRow, config: GateRules) {
  const { verdict, checks, reasons } = judge(gateInput([one, calm], { config }));
  return [checks[0]?.ruling, verdict, ...reasons];
}

describe("a row about performance", () => {
  test("does not decide without a rule for its metric", () => {
    expect(ruleOn(slower("frame-time-p95", 16, 40), {})).toEqual(["off", "passed"]);
    expect(ruleOn(slower("stutter", 16, 40), { metrics: { "frame-time-p95": {} } })).toEqual([
      "off",
      "passed",
    ]);
    expect(ruleOn(slower("stutter", 16, 40), { families: ["performance"] })[1]).toBe("failed");
  });

  test("fails above 10% by default", () => {
    const metrics = { "frame-time-p95": {} };
    expect(ruleOn(slower("frame-time-p95", 16, 17.6), { metrics })).toEqual(["passed", "passed"]);
    expect(ruleOn(slower("frame-time-p95", 16, 17.7), { metrics })).toEqual([
      ...["failed", "failed"],
      "frame-time-p95:dock: 16 ms → 17.7 ms, limit +1.6 ms",
    ]);
  });

  test("fails above the lower one of its limits", () => {
    const rule = (metrics: GateRules["metrics"]) => ruleOn(slower("load-time", 1000, 1500), { metrics })[1];
    expect(rule({ "load-time": { maxIncrease: 500 } })).toBe("passed");
    expect(rule({ "load-time": { maxIncrease: 499 } })).toBe("failed");
    expect(rule({ "load-time": { maxIncreasePct: 50 } })).toBe("passed");
    expect(rule({ "load-time": { maxIncreasePct: 50, maxIncrease: 400 } })).toBe("failed");
  });

  test("fails only if it is worse", () => {
    const unclear = slower("memory", 500, 900, { status: "unclear", pValue: 0.2, adjustedPValue: 0.5 });
    expect(ruleOn(unclear, { metrics: { memory: {} } })).toEqual(["passed", "passed"]);
  });

  test("warns if its rule says so", () => {
    const metrics = { memory: { level: "warn" as const } };
    expect(ruleOn(slower("memory", 500, 900), { metrics })).toEqual(["warned", "passed"]);
    const tags = [{ tag: "memory:*", level: "off" as const }];
    expect(ruleOn(slower("memory", 500, 900), { metrics, tags })[0]).toBe("off");
  });
});

test("with --metrics, no other metric fails the gate", () => {
  const quit = worse("quit:hall", [0, 20], [12, 20]);
  expect(ruleOn(quit, { onlyMetrics: ["frame-time-p95"] })[0]).toBe("off");
  expect(ruleOn(quit, { onlyMetrics: ["frame-time-p95", "quit"] })[1]).toBe("failed");
  expect(ruleOn(slower("frame-time-p95", 16, 40), { onlyMetrics: ["frame-time-p95"] })[1]).toBe("failed");
});

test("a mean has got larger, however small the change is in its unit", () => {
  const kinds = { carried_over: { level: "off" as const } };
  const config = { metrics: { stutter: { maxIncreasePct: 0 } }, kinds };
  expect(ruleOn(slower("stutter", 0.1, 0.14, { unit: "per-min" }), config)[0]).toBe("failed");
});

describe("the maximum of a metric", () => {
  const played = (ms: number, spread = 0) =>
    build("x", 10, {
      facts: group(
        Array.from({ length: 10 }, (_, at) => {
          const rooms = [{ room: "dock", frames: [], memoryMb: null, loadMs: ms + (at - 4.5) * spread }];
          return tester([session({ performance: { platform: "windows", rooms } })]);
        }),
      ),
    });
  const limit = (b: ReturnType<typeof played>) =>
    judgeLimits({ config: { metrics: { "load-time": { max: 2000 } } }, a: b, b });

  test("holds for build b alone", () => {
    expect(limit(played(2000))).toMatchObject([{ name: "load-time:dock", status: "passed" }]);
    expect(limit(played(2600, 10))).toMatchObject([
      { name: "load-time:dock", status: "failed", expected: "at most 2.0 s", found: "2.6 s" },
    ]);
  });

  test("fails nothing if chance explains the value", () => {
    expect(limit(played(2100, 300))).toMatchObject([{ status: "noise" }]);
  });

  test("fails nothing if few testers have a value", () => {
    const measured = (ms: number, count: number, platform = "windows") => {
      const rooms = [{ room: "dock", frames: [], memoryMb: null, loadMs: ms }];
      return Array.from({ length: count }, () => tester([session({ performance: { platform, rooms } })]));
    };
    const others = Array.from({ length: 15 }, () => tester([session()]));
    const among = (testers: ReturnType<typeof measured>) =>
      limit(build("x", 20, { facts: group([...testers, ...others]) })).map(({ name, status, interval }) => [
        ...[name, status, interval],
      ]);
    expect(among(measured(9000, 1))).toEqual([["load-time:dock", "noise", null]]);
    expect(among(measured(1000, 1))).toEqual([["load-time:dock", "passed", null]]);
    expect(among(measured(9000, 4))).toMatchObject([["load-time:dock", "noise", null]]);
    expect(among(measured(9000, 5))).toMatchObject([["load-time:dock", "failed", { low: "9.0 s" }]]);
    expect(among([...measured(1000, 5), ...measured(9000, 4, "toaster")])).toMatchObject([
      ["load-time:dock", "passed", { high: "1.0 s" }],
    ]);
  });

  test("is not checked if --metrics leaves it out, nor is any other limit", () => {
    const slow = played(9000);
    const config: GateRules = {
      metrics: { "load-time": { max: 2000 }, memory: { max: 1 } },
      limits: { engagementRate: { min: 0.5 } },
    };
    const list = (onlyMetrics: readonly string[]) =>
      judgeLimits({ config: { ...config, onlyMetrics }, a: slow, b: slow }).map(({ name }) => name);
    expect(list(["load-time"])).toEqual(["load-time:dock"]);
    expect(list(["quit"])).toEqual([]);
  });

  test("leaves the gate undecided if it is unknown, unless it only warns", () => {
    const b = build("2", 20, { facts: group([tester([session()])]) });
    const rule = (level: "warn" | "error") =>
      judge(gateInput([calm], { b, a: b, config: { metrics: { memory: { max: 1, level } } } }));
    expect(rule("error").reasons).toEqual(["the value of memory is unknown"]);
    expect(rule("warn").verdict).toBe("passed");
  });

  test("is unknown if the game sent no values", () => {
    expect(limit(build("x", 10, { facts: group([tester([session()])]) }))).toMatchObject([
      { name: "load-time", status: "unknown" },
    ]);
  });
});
