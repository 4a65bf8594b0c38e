/** The rule of the gate that applies to a tag. */
import {
  DEFAULT_CONFIDENCE,
  DEFAULT_MAX_INCREASE,
  DEFAULT_MIN_TESTERS,
  type GateLevel,
  type GateRules,
  type JudgedKind,
  judgedKinds,
  type KindRule,
} from "./config.ts";

export interface TagRule {
  readonly level: GateLevel;
  readonly maxIncreasePoints: number;
  readonly minTesters: number;
  readonly confidence: number;
}

/**
 * Resolves the rule for a tag and a kind of change. Each setting comes from the last matching tag rule, or else from the
 * rule of the kind, or else from the general settings. With `failOn`, kinds that are not listed are off even if a tag
 * rule says otherwise, and listed kinds are errors unless a tag rule says otherwise.
 *
 * Carried-over tags have the level and the limit of `got_larger` unless their own rule sets them: an increase counts by
 * its size, also if the limit is lower than the 10 points from which a tag has got larger.
 */
export function resolveRule(config: GateRules, kind: string, tag: string): TagRule {
  const judged = resolveJudgedKind(config, kind);
  const byKind = judged && resolveKindRule(config, kind, judged);
  const byTag = config.tags?.findLast((entry) => matchesTagPattern(entry.tag, tag));
  const kindLevel = judged && (config.failOn ? "error" : (byKind?.level ?? "error"));
  return {
    level: kindLevel === undefined ? "off" : (byTag?.level ?? kindLevel),
    maxIncreasePoints:
      byTag?.maxIncreasePoints ??
      byKind?.maxIncreasePoints ??
      config.maxIncreasePoints ??
      DEFAULT_MAX_INCREASE,
    minTesters: byTag?.minTesters ?? byKind?.minTesters ?? config.minTesters ?? DEFAULT_MIN_TESTERS,
    confidence: byTag?.confidence ?? byKind?.confidence ?? config.confidence ?? DEFAULT_CONFIDENCE,
  };
}

/** The rule of a kind. Carried-over tags inherit what decides whether their size counts. */
function resolveKindRule({ kinds }: GateRules, kind: string, judged: JudgedKind): KindRule {
  if (kind !== "carried_over") return kinds?.[judged] ?? {};
  const { level, maxIncreasePoints } = kinds?.got_larger ?? {};
  const own = kinds?.carried_over ?? {};
  return { ...own, level: own.level ?? level, maxIncreasePoints: own.maxIncreasePoints ?? maxIncreasePoints };
}

/** The kind whose rule applies; undefined if the kind is never judged or `failOn` turns it off. */
function resolveJudgedKind({ failOn }: GateRules, kind: string): JudgedKind | undefined {
  const judged = judgedKinds.find((name) => name === kind);
  if (judged === undefined || failOn === undefined || failOn.includes(judged)) return judged;
  return judged === "carried_over" && failOn.includes("got_larger") ? "got_larger" : undefined;
}

/** Whether a tag matches a pattern in which `*` matches any text. Takes at most O(pattern length × tag length) time. */
export function matchesTagPattern(pattern: string, tag: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === tag;
  const last = rest.pop() ?? "";
  if (!tag.startsWith(first) || !tag.endsWith(last) || tag.length < first.length + last.length) return false;
  let start = first.length;
  for (const part of rest) {
    const index = tag.indexOf(part, start);
    if (index < 0 || index + part.length > tag.length - last.length) return false;
    start = index + part.length;
  }
  return true;
}
