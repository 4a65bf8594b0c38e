/**
 * The rules that repeated runs of the gate must have in common. A stored verdict only answers for the rules it was made
 * with, and runs under several rules would spend the significance level more than once.
 */
import {
  DEFAULT_CONFIDENCE,
  DEFAULT_DETECT_POINTS,
  DEFAULT_MAX_INCREASE,
  DEFAULT_MIN_ANALYZED,
  DEFAULT_MIN_TESTERS,
} from "./config.ts";
import type { GateInput } from "./gate-input.ts";

/** Everything that a verdict depends on except the testers: the builds and the rules, by name, with defaults. */
export type SequentialRules = Readonly<Record<string, unknown>>;

/** Lists the builds and rules of a run. `onInconclusive` is left out because it does not change the verdict. */
export function listSequentialRules(
  { game, environment, a, b, config }: Pick<GateInput, "game" | "environment" | "a" | "b" | "config">,
  plannedTesters: number,
): SequentialRules {
  const { failOn } = config;
  return {
    game,
    environment,
    a: a.version,
    b: b.version,
    plannedTesters,
    confidence: config.confidence ?? DEFAULT_CONFIDENCE,
    minTesters: config.minTesters ?? DEFAULT_MIN_TESTERS,
    maxIncreasePoints: config.maxIncreasePoints ?? DEFAULT_MAX_INCREASE,
    detectPoints: config.detectPoints ?? DEFAULT_DETECT_POINTS,
    maxNew: config.maxNew ?? 0,
    failOn: failOn === undefined ? null : [...failOn].sort(),
    kinds: config.kinds ?? {},
    tags: config.tags ?? [],
    allow: config.allow ?? [],
    limits: config.limits ?? {},
    families: config.families ?? [],
    ...omitEmpty({ metrics: config.metrics ?? {}, onlyMetrics: [...(config.onlyMetrics ?? [])].sort() }),
    newRooms: config.newRooms ?? {},
    minAnalyzed: config.minAnalyzed ?? DEFAULT_MIN_ANALYZED,
  };
}

/** Leaves out empty rules, which runs before these rules existed did not store. */
const omitEmpty = (rules: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(rules).filter(([, rule]) => Object.keys(rule).length > 0));

/** Describes each rule that differs, such as `plannedTesters (was 40, now 20)`; empty if none does. */
export function describeRuleChanges(before: SequentialRules, now: SequentialRules): string[] {
  return [...new Set([...Object.keys(now), ...Object.keys(before)])]
    .filter((name) => toComparable(before[name]) !== toComparable(now[name]))
    .map((name) => {
      const [was, is] = [before[name], now[name]];
      const label = labels.get(name) ?? name;
      return isShort(was) && isShort(is) ? `${label} (was ${was}, now ${is})` : label;
    });
}

/** The builds in words. Rules have the names of the file. */
const labels: ReadonlyMap<string, string> = new Map([
  ["a", "baseline"],
  ["b", "build to check"],
]);

const isShort = (value: unknown) => typeof value === "number" || typeof value === "string";

/** The value as JSON in which the order of properties does not matter. */
function toComparable(value: unknown): string | undefined {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([x], [y]) => (x < y ? -1 : 1)))
      : item,
  );
}
