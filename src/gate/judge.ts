/** Judges what changed between two builds by the rules of a gate. Pure: all it looks at is given. */
import { DAY_MS } from "../shared/time-units.ts";
import { computeGrowth, type GateBuild, type TagChange } from "./build-comparison.ts";
import {
  type AllowEntry,
  type GateRules,
  judgedKinds,
  matchesTagPattern,
  resolveRule,
  type TagRule,
} from "./config.ts";
import { adjustPValues, fisherPValue, type TagCounts } from "./fisher.ts";
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

/** So long before an entry of the allow-list expires it is warned of, ms. */
const EXPIRY_WARNING_MS = 7 * DAY_MS;

/** What is judged, and when. */
export interface GateInput {
  readonly game: string;
  readonly environment: string;
  readonly a: GateBuild;
  readonly b: GateBuild;
  readonly changes: readonly TagChange[];
  readonly config: GateRules;
  /** Unix ms: what allow-list entries expire by. */
  readonly now: number;
}

interface TagJudgement {
  readonly change: TagChange;
  readonly rule: TagRule;
  readonly allowed: AllowEntry | null;
  /** Whether the rules look at the tag at all, whatever its change turned out to be. */
  readonly isRuled: boolean;
  /** Whether it could have failed or warned, grown enough: those that the p-values are corrected for. */
  readonly isJudged: boolean;
  readonly p: number | null;
  readonly adjustedP: number | null;
}

/** The verdict, without evidence and suggestions: those are fetched for what it found. */
export function judge(given: GateInput): GateVerdict {
  const { config, changes, a, b } = given;
  const allow = (config.allow ?? []).map((entry) => toAllowance(entry, given.now));
  const active = (config.allow ?? []).filter((_, at) => allow[at]?.state !== "expired");
  const method = changes.every(({ testersA, testersB }) => testersA !== null && testersB !== null)
    ? "fisher"
    : "points";
  const judged = addPValues(given, active, method);
  const few = explainTooFewTesters(given);
  const findings = downgradeToInconclusive(
    applyMaxNew(
      judged.map((one) => buildFinding(one, given)),
      config.maxNew ?? 0,
    ),
    few.length > 0 ? "unsure" : null,
  );
  const limits = downgradeToInconclusive(
    judgeLimits(config.limits ?? {}, a, b),
    few.length > 0 ? "unknown" : null,
  );
  const failures = describeFailures(findings, limits);
  const counted =
    few.length > 0 ? [] : judged.filter((one) => one.isJudged && hasEnoughTesters(one.rule, a, b));
  const hasRules = judged.some(({ isRuled }) => isRuled);
  const { open, noted } =
    few.length > 0
      ? { open: few, noted: [] }
      : findInconclusiveReasons(given, { findings, limits, judged: counted.length, hasRules });
  // A limit that was crossed has failed also where there was no tag to judge.
  const doubts = failures.length > 0 ? [] : open;
  const used = new Set(
    judged.filter((_, at) => findings[at]?.status === "allowed").map(({ allowed }) => allowed?.tag),
  );
  return {
    schemaVersion: VERDICT_VERSION,
    verdict: doubts.length > 0 ? "inconclusive" : failures.length > 0 ? "failed" : "passed",
    reasons: doubts.length > 0 ? doubts : failures,
    game: given.game,
    environment: given.environment,
    a: { version: a.version, testers: a.testers, sessions: a.sessions },
    b: { version: b.version, testers: b.testers, sessions: b.sessions },
    method,
    judged: counted.length,
    findings,
    limits,
    allow: allow.map((entry) => ({ ...entry, used: used.has(entry.tag) })),
    notes: buildNotes(method, allow, excludeTexts(noted, doubts)),
    suggestions: [],
  };
}

/**
 * Every change with its rule and chances. The family is chosen by tags alone, never by what was found of them: a tag
 * that shrank could have grown.
 */
function addPValues(
  { changes, config, a, b }: GateInput,
  active: readonly AllowEntry[],
  method: GateVerdict["method"],
): TagJudgement[] {
  const known = changes.map((change) => {
    const allowed = active.find((entry) => matchesTagPattern(entry.tag, change.tag)) ?? null;
    const ruled = judgedKinds
      .map((kind) => resolveRule(config, kind, change.tag))
      .filter(({ level }) => allowed === null && level !== "off");
    const isJudged = ruled.some((rule) => hasEnoughTesters(rule, a, b));
    const rule = resolveRule(config, change.kind, change.tag);
    return { change, rule, allowed, isRuled: ruled.length > 0, isJudged };
  });
  const family = method === "points" ? [] : known.filter(({ isJudged }) => isJudged);
  const counts = family.map(
    ({ change: { testersA, testersB } }): TagCounts => ({
      testersA: testersA ?? 0,
      totalA: a.testers,
      testersB: testersB ?? 0,
      totalB: b.testers,
    }),
  );
  const adjusted = adjustPValues(counts);
  const chances = new Map(
    family.map(({ change }, at) => {
      const count = counts[at];
      return [change, { p: count ? fisherPValue(count) : null, adjustedP: adjusted[at] ?? null }] as const;
    }),
  );
  return known.map((one) => ({ ...one, ...(chances.get(one.change) ?? { p: null, adjustedP: null }) }));
}

function buildFinding(one: TagJudgement, { a, b }: GateInput): GateFinding {
  const { change, rule, allowed, p, adjustedP } = one;
  const { tag, kind, testersA, testersB } = change;
  const { level, maxIncreasePoints, confidence, minTesters } = rule;
  return {
    tag,
    kind,
    status: resolveStatus(one, a, b),
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
  if (computeGrowth(change, a, b) <= rule.maxIncreasePoints) return "small";
  if (allowed) return "allowed";
  // Without counts points alone can be judged.
  if (adjustedP !== null && adjustedP > 1 - rule.confidence) return "noise";
  return rule.level === "error" ? "failed" : "warned";
}

const hasEnoughTesters = ({ minTesters }: TagRule, a: GateBuild, b: GateBuild) =>
  Math.min(a.testers, b.testers) >= minTesters;

/** Lets up to so many introduced tags pass with a warning; where there are more, all of them fail. */
function applyMaxNew(findings: readonly GateFinding[], maxNew: number): GateFinding[] {
  const isNew = ({ kind, status }: GateFinding) => kind === "introduced" && status === "failed";
  const added = findings.filter(isNew);
  return added.length > maxNew
    ? [...findings]
    : findings.map((one) => (isNew(one) ? { ...one, status: "warned" as const } : one));
}

const excludeTexts = (texts: readonly string[], told: readonly string[]) =>
  texts.filter((text) => !told.includes(text));

function toAllowance({ tag, reason, expires }: AllowEntry, now: number): Allowance {
  const end = Date.parse(`${expires}T00:00:00Z`) + DAY_MS;
  const state = now >= end ? "expired" : now >= end - EXPIRY_WARNING_MS ? "expiring" : "active";
  return { tag, reason, expires, state, used: false };
}
