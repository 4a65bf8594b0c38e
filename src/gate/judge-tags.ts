/** Judges the tags of a comparison: the rule of each tag and its p-value. */

import { DAY_MS } from "../shared/time-units.ts";
import { adjustFisherPValues, fisherPValue, type TwoByTwo } from "../statistics/fisher.ts";
import type { TestedFamily } from "../statistics/power.ts";
import type { GateBuild, TagChange } from "./build-comparison.ts";
import { type AllowEntry, type GateRules, judgedKinds } from "./config.ts";
import { matchesTagPattern, resolveRule, type TagRule } from "./resolve-rule.ts";
import { type JudgedPlay, type JudgedTag, selectJudgedPlay } from "./tag-counts.ts";
import type { Allowance, GateVerdict } from "./verdict.ts";

/** How long before its end an exception is reported as expiring. */
const EXPIRY_WARNING_MS = 7 * DAY_MS;

export interface GateInput {
  readonly game: string;
  readonly environment: string;
  readonly a: GateBuild;
  readonly b: GateBuild;
  readonly changes: readonly TagChange[];
  readonly config: GateRules;
  /** Unix ms; decides which exceptions have expired. */
  readonly now: number;
  /** The significance level of this run among repeated ones; by default 1 - confidence. */
  readonly level?: number;
}

export interface TagJudgement {
  readonly change: TagChange;
  readonly tag: JudgedTag;
  readonly rule: TagRule;
  readonly allowed: AllowEntry | null;
  /** Whether the tag has a rule that is not off, for any kind of change. */
  readonly hasRule: boolean;
  /** Whether a large enough increase could have failed or warned. P-values are corrected for these tags. */
  readonly isJudged: boolean;
  readonly p: number | null;
  readonly adjustedP: number | null;
  /** The corrected p-value without the allowance for longer play. */
  readonly adjustedPWithoutAllowance: number | null;
}

/** The tags of a comparison, each with its rule and the result of its test. */
export function judgeTags(input: GateInput) {
  const { config, changes, a, b } = input;
  const allow = (config.allow ?? []).map((entry) => toAllowance(entry, input.now));
  const active = (config.allow ?? []).filter((_, index) => allow[index]?.state !== "expired");
  const method: GateVerdict["method"] = changes.every(
    ({ testersA, testersB }) => testersA !== null && testersB !== null,
  )
    ? "fisher"
    : "points";
  const play = selectJudgedPlay(a, b);
  const judged = addPValues(input, play, active, method);
  return { allow, method, play, judged, checked: selectChecked(input, play, judged, method) };
}

/** The checked tags, from which the gate computes what it can notice; null if tags are not tested or new tags cannot fail. */
export const selectCheckedTags = (input: GateInput): TestedFamily | null => judgeTags(input).checked;

/**
 * Adds the rule and the p-values to every change. P-values are corrected for all tags with a rule, whatever their actual
 * change was. Choosing the tags by their result would make the correction too weak.
 */
function addPValues(
  { changes, config }: GateInput,
  play: JudgedPlay,
  active: readonly AllowEntry[],
  method: GateVerdict["method"],
): TagJudgement[] {
  const withRules = changes.map((change) => {
    const tag = play.countTag(change);
    const allowed = active.find((entry) => matchesTagPattern(entry.tag, change.tag)) ?? null;
    const rules = judgedKinds
      .map((kind) => resolveRule(config, kind, change.tag))
      .filter(({ level }) => allowed === null && level !== "off");
    const isJudged = tag.isAnswered && rules.some((rule) => hasEnoughTesters(rule, play));
    const rule = resolveRule(config, tag.kind, change.tag);
    return { change, tag, rule, allowed, hasRule: rules.length > 0, isJudged };
  });
  const family = withRules.flatMap(({ isJudged, change, tag }) =>
    method === "fisher" && isJudged && tag.counts ? [{ change, counts: tag.counts }] : [],
  );
  const adjusted = adjustFisherPValues(family.map(({ counts }) => counts));
  const withoutAllowance = adjustFisherPValues(family.map(({ counts }) => ({ ...counts, oddsRatio: 1 })));
  const pValues = new Map(
    family.map(({ change, counts }, index) => [
      change,
      {
        p: fisherPValue(counts),
        adjustedP: adjusted[index] ?? null,
        adjustedPWithoutAllowance: withoutAllowance[index] ?? null,
      },
    ]),
  );
  return withRules.map((entry) => ({
    ...entry,
    ...(pValues.get(entry.change) ?? { p: null, adjustedP: null, adjustedPWithoutAllowance: null }),
  }));
}

/** The checked tags, to compute how many testers a new tag must affect to be noticed; null if tags are not tested or new tags cannot fail. */
function selectChecked(
  input: GateInput,
  play: JudgedPlay,
  judged: readonly TagJudgement[],
  method: GateVerdict["method"],
): TestedFamily | null {
  const rule = resolveRule(input.config, "introduced", "");
  if (method !== "fisher" || rule.level !== "error") return null;
  const tables = judged.flatMap(({ tag, p }): TwoByTwo[] =>
    p === null || tag.counts === null ? [] : [tag.counts],
  );
  const { testersA, testersB, oddsRatio } = play;
  const { maxIncreasePoints } = rule;
  return { tables, testersA, testersB, oddsRatio, level: resolveLevel(rule, input), maxIncreasePoints };
}

/** The largest significant p-value. */
export const resolveLevel = ({ confidence }: TagRule, { level }: GateInput) =>
  Math.min(1 - confidence, level ?? 1);

export const hasEnoughTesters = ({ minTesters }: TagRule, { testersA, testersB }: JudgedPlay) =>
  Math.min(testersA, testersB) >= minTesters;

function toAllowance({ tag, reason, expires }: AllowEntry, now: number): Allowance {
  const end = Date.parse(`${expires}T00:00:00Z`) + DAY_MS;
  const state = now >= end ? "expired" : now >= end - EXPIRY_WARNING_MS ? "expiring" : "active";
  return { tag, reason, expires, state, used: false };
}
