/** Decides the verdict: applies the rules of the gate to the changes between two builds. Has no side effects. */

import { adjustPValues, fisherPValue, type TagCounts } from "../shared/statistics/fisher.ts";
import { DAY_MS } from "../shared/time-units.ts";
import { computeIncrease, type GateBuild, type TagChange } from "./build-comparison.ts";
import {
  type AllowEntry,
  type GateRules,
  judgedKinds,
  matchesTagPattern,
  resolveRule,
  type TagRule,
} from "./config.ts";
import { downgradeToInconclusive, explainTooFewTesters, findInconclusiveReasons } from "./inconclusive.ts";
import { judgeLimits } from "./limits.ts";
import { buildNotes, describeFailures } from "./reasons.ts";
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
}

interface TagJudgement {
  readonly change: TagChange;
  readonly rule: TagRule;
  readonly allowed: AllowEntry | null;
  /** Whether the tag has a rule that is not off, for any kind of change. */
  readonly hasRule: boolean;
  /** Whether a large enough increase could have failed or warned. P-values are corrected for these tags. */
  readonly isJudged: boolean;
  readonly p: number | null;
  readonly adjustedP: number | null;
}

/** The verdict without evidence and suggestions, which the caller adds. */
export function judge(input: GateInput): GateVerdict {
  const { config, changes, a, b } = input;
  const allow = (config.allow ?? []).map((entry) => toAllowance(entry, input.now));
  const active = (config.allow ?? []).filter((_, index) => allow[index]?.state !== "expired");
  const method = changes.every(({ testersA, testersB }) => testersA !== null && testersB !== null)
    ? "fisher"
    : "points";
  const judged = addPValues(input, active, method);
  const tooFew = explainTooFewTesters(input);
  const findings = downgradeToInconclusive(
    applyMaxNew(
      judged.map((judgement) => buildFinding(judgement, input)),
      config.maxNew ?? 0,
    ),
    tooFew.length > 0 ? "unsure" : null,
  );
  const limits = downgradeToInconclusive(
    judgeLimits(config.limits ?? {}, a, b),
    tooFew.length > 0 ? "unknown" : null,
  );
  const failures = describeFailures(findings, limits);
  const counted =
    tooFew.length > 0 ? [] : judged.filter(({ isJudged, rule }) => isJudged && hasEnoughTesters(rule, a, b));
  const hasRules = judged.some(({ hasRule }) => hasRule);
  const { inconclusive, notes } =
    tooFew.length > 0
      ? { inconclusive: tooFew, notes: [] }
      : findInconclusiveReasons(input, { findings, limits, judged: counted.length, hasRules });
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
    a: { version: a.version, testers: a.testers, sessions: a.sessions },
    b: { version: b.version, testers: b.testers, sessions: b.sessions },
    method,
    judged: counted.length,
    findings,
    limits,
    allow: allow.map((entry) => ({ ...entry, used: used.has(entry.tag) })),
    notes: buildNotes(method, allow, excludeTexts(notes, doubts)),
    suggestions: [],
  };
}

/**
 * Adds the rule and the p-values to every change. P-values are corrected for all tags with a rule, whatever their actual
 * change was. Choosing the tags by their result would make the correction too weak.
 */
function addPValues(
  { changes, config, a, b }: GateInput,
  active: readonly AllowEntry[],
  method: GateVerdict["method"],
): TagJudgement[] {
  const withRules = changes.map((change) => {
    const allowed = active.find((entry) => matchesTagPattern(entry.tag, change.tag)) ?? null;
    const rules = judgedKinds
      .map((kind) => resolveRule(config, kind, change.tag))
      .filter(({ level }) => allowed === null && level !== "off");
    const isJudged = rules.some((rule) => hasEnoughTesters(rule, a, b));
    const rule = resolveRule(config, change.kind, change.tag);
    return { change, rule, allowed, hasRule: rules.length > 0, isJudged };
  });
  const family = method === "points" ? [] : withRules.filter(({ isJudged }) => isJudged);
  const counts = family.map(
    ({ change: { testersA, testersB } }): TagCounts => ({
      testersA: testersA ?? 0,
      totalA: a.testers,
      testersB: testersB ?? 0,
      totalB: b.testers,
    }),
  );
  const adjusted = adjustPValues(counts);
  const pValues = new Map(
    family.map(({ change }, index) => {
      const count = counts[index];
      return [change, { p: count ? fisherPValue(count) : null, adjustedP: adjusted[index] ?? null }] as const;
    }),
  );
  return withRules.map((entry) => ({
    ...entry,
    ...(pValues.get(entry.change) ?? { p: null, adjustedP: null }),
  }));
}

function buildFinding(judgement: TagJudgement, { a, b }: GateInput): GateFinding {
  const { change, rule, allowed, p, adjustedP } = judgement;
  const { tag, kind, testersA, testersB } = change;
  const { level, maxIncreasePoints, confidence, minTesters } = rule;
  return {
    tag,
    kind,
    status: resolveStatus(judgement, a, b),
    level,
    expected: { maxIncreasePoints, confidence, minTesters },
    found: { deltaPct: change.deltaPct, testersA, testersB, p, adjustedP },
    reason: allowed?.reason ?? null,
    evidence: [],
  };
}

function resolveStatus(
  { change, rule, allowed, adjustedP }: TagJudgement,
  a: GateBuild,
  b: GateBuild,
): FindingStatus {
  if (rule.level === "off") return "off";
  if (!hasEnoughTesters(rule, a, b)) return "unsure";
  if (computeIncrease(change, a, b) <= rule.maxIncreasePoints) return "small";
  if (allowed) return "allowed";
  // Without counts there is no p-value, and the increase alone decides.
  if (adjustedP !== null && adjustedP > 1 - rule.confidence) return "noise";
  return rule.level === "error" ? "failed" : "warned";
}

const hasEnoughTesters = ({ minTesters }: TagRule, a: GateBuild, b: GateBuild) =>
  Math.min(a.testers, b.testers) >= minTesters;

/** Turns failures of introduced tags into warnings if there are at most `maxNew` of them. */
function applyMaxNew(findings: readonly GateFinding[], maxNew: number): GateFinding[] {
  const isNew = ({ kind, status }: GateFinding) => kind === "introduced" && status === "failed";
  const added = findings.filter(isNew);
  return added.length > maxNew
    ? [...findings]
    : findings.map((finding) => (isNew(finding) ? { ...finding, status: "warned" as const } : finding));
}

const excludeTexts = (texts: readonly string[], excluded: readonly string[]) =>
  texts.filter((text) => !excluded.includes(text));

function toAllowance({ tag, reason, expires }: AllowEntry, now: number): Allowance {
  const end = Date.parse(`${expires}T00:00:00Z`) + DAY_MS;
  const state = now >= end ? "expired" : now >= end - EXPIRY_WARNING_MS ? "expiring" : "active";
  return { tag, reason, expires, state, used: false };
}
