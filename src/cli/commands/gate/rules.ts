/** Reads the rules of the gate from playtest.config.json and flags. */
import { resolve } from "node:path";
import { describeIssue } from "../../../contract/errors.ts";
import { type GateConfig, type GateRules, gateConfig, judgedKinds } from "../../../gate/config.ts";
import { decidingMetrics } from "../../../gate/metric-rules.ts";
import { resolveRule } from "../../../gate/resolve-rule.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { choice, choices, type FlagValues, integer, number, text } from "../../flags.ts";
import { readNamedRepoFile, readRepoFile } from "../../repo-file.ts";

export const ruleFlags = {
  env: text("--env <slug>", "environment, or `all` (default: production)"),
  failOn: choices(
    "--fail-on <changes>",
    "changes that can fail the gate, comma-separated: introduced, got_larger, carried_over",
    judgedKinds,
  ),
  metrics: choices(
    "--metrics <names>",
    `the only metrics that can fail the gate, comma-separated: ${decidingMetrics.join(", ")}`,
    decidingMetrics,
  ),
  minTesters: integer("--min-testers <n>", "minimum number of testers per build (default: 5)", 1, 1_000_000),
  maxIncrease: number(
    "--max-increase <points>",
    "maximum increase of a tag's share, in percentage points (default: 10)",
    0,
    100,
  ),
  confidence: number(
    "--confidence <share>",
    "confidence required to count an increase (default: 0.95)",
    0.5,
    0.9999,
  ),
  detect: number(
    "--detect <percent>",
    "inconclusive if there are too few testers to notice a new tag that affects this share of them (default: 40)",
    1,
    100,
  ),
  plannedTesters: integer(
    "--planned-testers <n>",
    "number of testers of b at which --sequential tests for the last time (default: as many as --detect needs)",
    1,
    1_000_000,
  ),
  maxNew: integer(
    "--max-new <n>",
    "if at most n introduced tags would fail, they only warn (default: 0)",
    0,
    10_000,
  ),
  onInconclusive: choice(
    "--on-inconclusive <what>",
    "result if there is not enough data: fail (exit code 11), warn or pass (default: fail)",
    ["fail", "warn", "pass"],
  ),
  config: text("--config <file>", "rules file to use instead of the nearest playtest.config.json"),
} as const;

type RuleValues = FlagValues<typeof ruleFlags>;

/** The rules; flags override the file. Throws `config` with the name of each invalid field. */
export function readRules({ io }: Pick<Context, "io">, flags: Partial<RuleValues>): GateRules {
  const file =
    flags.config === undefined ? readRepoFile(io.cwd) : readNamedRepoFile(resolve(io.cwd, flags.config));
  const stored = file?.gate === undefined ? {} : validateGateConfig(file.gate, file.path);
  const {
    env,
    minTesters,
    maxIncrease: maxIncreasePoints,
    confidence,
    maxNew,
    onInconclusive,
    failOn,
    metrics: onlyMetrics,
    detect: detectPoints,
    plannedTesters,
  } = flags;
  const numbers = omitUndefined({ minTesters, maxIncreasePoints, confidence });
  const rules = {
    ...clearOverrides(stored, Object.keys(numbers)),
    ...omitUndefined({ env, maxNew, onInconclusive, failOn, onlyMetrics, detectPoints, plannedTesters }),
    ...numbers,
  };
  checkDetectable(rules);
  return rules;
}

/** Throws `usage` if the limit allows what the gate is asked to notice. */
function checkDetectable(rules: GateRules) {
  const { maxIncreasePoints } = resolveRule(rules, "introduced", "");
  if (rules.detectPoints === undefined || rules.detectPoints > maxIncreasePoints) return;
  throw fail("usage", {
    message: `A new tag that affects ${rules.detectPoints}% of testers (--detect) never fails the gate, because increases of up to ${maxIncreasePoints} percentage points are allowed (--max-increase)`,
    hint: "Set --detect above --max-increase, with flags or in playtest.config.json (detectPoints and maxIncreasePoints).",
  });
}

type DefinedValues<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

function omitUndefined<T extends object>(values: T): DefinedValues<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as DefinedValues<T>;
}

/** Removes settings from the rules for kinds and tags, because a flag overrides them too. */
function clearOverrides({ kinds, tags, ...others }: GateConfig, names: readonly string[]): GateConfig {
  const omit = <T extends object>(rule: T) =>
    Object.fromEntries(Object.entries(rule).filter(([name]) => !names.includes(name))) as T;
  const clearedKinds =
    kinds && Object.fromEntries(Object.entries(kinds).map(([kind, rule]) => [kind, omit(rule ?? {})]));
  return { ...others, ...omitUndefined({ kinds: clearedKinds, tags: tags?.map(omit) }) };
}

function validateGateConfig(gate: unknown, path: string): GateConfig {
  const { data, error } = gateConfig.safeParse(gate);
  if (!error) return data;
  const problems = error.issues.map((issue) => describeIssue(`gate${formatPath(issue.path)}`, issue.message));
  throw fail("config", {
    message: `${path}: ${problems.join("; ")}`,
    hint: "See `playtest gate --help` and docs/guide/gate-in-ci.md of the playtest package.",
  });
}

/** A path in JavaScript's notation, such as `.allow[0].expires`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
}
