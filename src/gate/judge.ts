/** Decides the verdict: applies the rules of the gate to the changes between two builds. Has no side effects. */

import { adjustPValues, fisherPValue, type TagCounts } from "../shared/statistics/fisher.ts";
import { getTagTitle } from "../shared/tags.ts";
import { DAY_MS } from "../shared/time-units.ts";
import { explainAnalysisVersions } from "./analysis-versions.ts";
import type { GateBuild, TagChange } from "./build-comparison.ts";
import {
  type AllowEntry,
  type GateRules,
  judgedKinds,
  matchesTagPattern,
  resolveRule,
  type TagRule,
} from "./config.ts";
import type { CheckedTags } from "./detection.ts";
import {
  explainTooFewTesters,
  findInconclusiveReasons,
  withUncheckedLimits,
  withUnsureFindings,
} from "./inconclusive.ts";
import { judgeLimits } from "./limits.ts";
import { measureDetection } from "./measure-detection.ts";
import { buildNotes } from "./notes.ts";
import { describeFailures } from "./reasons.ts";
import { type JudgedPlay, type JudgedTag, roundIncrease, selectJudgedPlay } from "./tag-counts.ts";
import {
  type Allowance,
  type FindingStatus,
  type GateFinding,
  type GateVerdict,
  VERDICT_VERSION,
} from "./verdict.ts";

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

interface TagJudgement {
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
}

/** The tags of a comparison with what the rules and the test say about each. */
function judgeTags(input: GateInput) {
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
export const selectCheckedTags = (input: GateInput): CheckedTags | null => judgeTags(input).checked;

/** The verdict without outcomes, evidence and suggestions, which the caller adds. */
export function judge(input: GateInput): GateVerdict {
  const { config, a, b } = input;
  const { allow, method, play, judged, checked } = judgeTags(input);
  const differences = explainAnalysisVersions(a, b);
  const blocked = [...differences, ...explainTooFewTesters(input, play, checked)];
  const allFindings = applyMaxNew(
    judged.map((judgement) => buildFinding(judgement, play, input)),
    config.maxNew ?? 0,
  );
  const allLimits = judgeLimits(input);
  const unchecked = differences.length > 0 ? "different analyses" : "too few testers";
  const findings = blocked.length > 0 ? withUnsureFindings(allFindings) : allFindings;
  const limits = blocked.length > 0 ? withUncheckedLimits(allLimits, unchecked) : allLimits;
  const failures = describeFailures(findings, limits);
  const counted = blocked.length > 0 ? [] : judged.filter((judgement) => isCounted(judgement, play));
  const hasRules = judged.some(({ hasRule }) => hasRule);
  const detection = checked && measureDetection(checked, config);
  const { inconclusive, notes } =
    blocked.length > 0
      ? { inconclusive: blocked, notes: [] }
      : findInconclusiveReasons(
          { ...input, play },
          { findings, limits, judged: counted.length, hasRules, detection },
        );
  // A failure always wins over an inconclusive result, for example a crossed limit if no tag was checked.
  const doubts = failures.length > 0 ? [] : inconclusive;
  const used = new Set(
    judged.filter((_, index) => findings[index]?.status === "allowed").map(({ allowed }) => allowed?.tag),
  );
  return {
    schemaVersion: VERDICT_VERSION,
    verdict: doubts.length > 0 ? "inconclusive" : failures.length > 0 ? "failed" : "passed",
    reasons: doubts.length > 0 ? doubts : failures,
    game: input.game,
    environment: input.environment,
    a: describeBuild(a, play, "a"),
    b: describeBuild(b, play, "b"),
    method,
    judged: counted.length,
    detection,
    outcomes: null,
    findings,
    limits,
    allow: allow.map((entry) => ({ ...entry, used: used.has(entry.tag) })),
    notes: buildNotes({
      method,
      play,
      versionA: a.version,
      versionB: b.version,
      findings,
      allow,
      uncertain: excludeTexts(notes, doubts),
    }),
    suggestions: [],
  };
}

function describeBuild(build: GateBuild, play: JudgedPlay, side: "a" | "b"): GateVerdict["a"] {
  const matched = play.matched?.[side];
  return {
    version: build.version,
    testers: build.testers,
    sessions: build.sessions,
    judgedTesters: side === "a" ? play.testersA : play.testersB,
    judgedSessions: matched?.judgedSessions ?? null,
    anonymousSessions: matched?.anonymousSessions ?? null,
    analysisVersions: build.analysisVersions && [...build.analysisVersions],
  };
}

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
    const isJudged = rules.some((rule) => hasEnoughTesters(rule, play));
    const rule = resolveRule(config, tag.kind, change.tag);
    return { change, tag, rule, allowed, hasRule: rules.length > 0, isJudged };
  });
  const family = withRules.flatMap(({ isJudged, change, tag }) =>
    method === "fisher" && isJudged && tag.counts ? [{ change, counts: tag.counts }] : [],
  );
  const adjusted = adjustPValues(family.map(({ counts }) => counts));
  const pValues = new Map(
    family.map(({ change, counts }, index) => [
      change,
      { p: fisherPValue(counts), adjustedP: adjusted[index] ?? null },
    ]),
  );
  return withRules.map((entry) => ({
    ...entry,
    ...(pValues.get(entry.change) ?? { p: null, adjustedP: null }),
  }));
}

/** The checked tags, to compute what a new tag must do to be noticed; null if tags are not tested or new tags cannot fail. */
function selectChecked(
  input: GateInput,
  play: JudgedPlay,
  judged: readonly TagJudgement[],
  method: GateVerdict["method"],
): CheckedTags | null {
  const rule = resolveRule(input.config, "introduced", "");
  if (method !== "fisher" || rule.level !== "error") return null;
  const tables = judged.flatMap(({ tag, p }): TagCounts[] =>
    p === null || tag.counts === null ? [] : [tag.counts],
  );
  const { testersA, testersB, oddsRatio } = play;
  const { maxIncreasePoints } = rule;
  return { tables, testersA, testersB, oddsRatio, level: resolveLevel(rule, input), maxIncreasePoints };
}

/** The largest significant p-value. */
const resolveLevel = ({ confidence }: TagRule, { level }: GateInput) => Math.min(1 - confidence, level ?? 1);

function buildFinding(judgement: TagJudgement, play: JudgedPlay, input: GateInput): GateFinding {
  const { change, tag, rule, allowed, p, adjustedP } = judgement;
  const { kind, deltaPct, testersA, testersB } = change;
  const { level, maxIncreasePoints, confidence, minTesters } = rule;
  const judged = tag.counts && {
    kind: tag.kind,
    deltaPct: roundIncrease(tag),
    ...tag.counts,
    oddsRatio: tag.counts.oddsRatio ?? 1,
  };
  return {
    tag: change.tag,
    title: getTagTitle(change),
    kind,
    status: resolveStatus(judgement, play, input),
    level,
    expected: { maxIncreasePoints, confidence, minTesters },
    found: { deltaPct, testersA, testersB, p, adjustedP, judged },
    reason: allowed?.reason ?? null,
    evidence: [],
  };
}

function resolveStatus(
  { tag, rule, allowed, adjustedP }: TagJudgement,
  play: JudgedPlay,
  input: GateInput,
): FindingStatus {
  if (rule.level === "off") return "off";
  if (!hasEnoughTesters(rule, play)) return "unsure";
  if (tag.increase <= rule.maxIncreasePoints) return tag.increase > 0 ? "small" : "off";
  if (allowed) return "allowed";
  // Without counts there is no p-value, and the increase alone decides.
  if (adjustedP !== null && adjustedP > resolveLevel(rule, input)) return "noise";
  return rule.level === "error" ? "failed" : "warned";
}

const hasEnoughTesters = ({ minTesters }: TagRule, { testersA, testersB }: JudgedPlay) =>
  Math.min(testersA, testersB) >= minTesters;

const isCounted = ({ isJudged, rule }: TagJudgement, play: JudgedPlay) =>
  isJudged && hasEnoughTesters(rule, play);

/** Turns failures of introduced tags into warnings if there are at most `maxNew` of them. */
function applyMaxNew(findings: readonly GateFinding[], maxNew: number): GateFinding[] {
  const isNew = (finding: GateFinding) => isIntroduced(finding) && finding.status === "failed";
  const added = findings.filter(isNew);
  return added.length > maxNew
    ? [...findings]
    : findings.map((finding) => (isNew(finding) ? { ...finding, status: "warned" as const } : finding));
}

const isIntroduced = ({ kind, found }: GateFinding) => (found.judged?.kind ?? kind) === "introduced";

const excludeTexts = (texts: readonly string[], excluded: readonly string[]) =>
  texts.filter((text) => !excluded.includes(text));

function toAllowance({ tag, reason, expires }: AllowEntry, now: number): Allowance {
  const end = Date.parse(`${expires}T00:00:00Z`) + DAY_MS;
  const state = now >= end ? "expired" : now >= end - EXPIRY_WARNING_MS ? "expiring" : "active";
  return { tag, reason, expires, state, used: false };
}
