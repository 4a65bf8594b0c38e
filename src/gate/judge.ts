/** Judges what changed between two builds by the rules of a gate. Pure: all it looks at is given. */
import { DAY_MS } from "../shared/time-units.ts";
import { type Allowed, judgedKinds, matches, type Rule, type Rules, ruleOf } from "./config.ts";
import { doubtsOf, fewTesters, withoutDoubt } from "./doubts.ts";
import { adjustedPs, fisherP, type TagCounts } from "./fisher.ts";
import { judgeLimits } from "./limits.ts";
import { failuresOf, notesOf } from "./reasons.ts";
import { growthOf, type Side, type TagChange } from "./sides.ts";
import {
  type Allowance,
  type FindingStatus,
  type GateFinding,
  type GateVerdict,
  VERDICT_VERSION,
} from "./verdict.ts";

/** So long before an entry of the allow-list expires it is warned of, ms. */
const WARN_BEFORE = 7 * DAY_MS;

/** What is judged, and when. */
export interface Case {
  readonly game: string;
  readonly environment: string;
  readonly a: Side;
  readonly b: Side;
  readonly changes: readonly TagChange[];
  readonly config: Rules;
  /** Unix ms: what allow-list entries expire by. */
  readonly now: number;
}

interface Judged {
  readonly change: TagChange;
  readonly rule: Rule;
  readonly allowed: Allowed | null;
  /** Whether the rules look at the tag at all, whatever its change turned out to be. */
  readonly isRuled: boolean;
  /** Whether it could have failed or warned, grown enough: those that the p-values are corrected for. */
  readonly isJudged: boolean;
  readonly p: number | null;
  readonly adjustedP: number | null;
}

/** The verdict, without evidence and suggestions: those are fetched for what it found. */
export function judge(given: Case): GateVerdict {
  const { config, changes, a, b } = given;
  const allow = (config.allow ?? []).map((entry) => stateOf(entry, given.now));
  const active = (config.allow ?? []).filter((_, at) => allow[at]?.state !== "expired");
  const method = changes.every(({ testersA, testersB }) => testersA !== null && testersB !== null)
    ? "fisher"
    : "points";
  const judged = withChances(given, active, method);
  const few = fewTesters(given);
  const findings = withoutDoubt(
    withinNew(
      judged.map((one) => findingOf(one, given)),
      config.maxNew ?? 0,
    ),
    few.length > 0 ? "unsure" : null,
  );
  const limits = withoutDoubt(judgeLimits(config.limits ?? {}, a, b), few.length > 0 ? "unknown" : null);
  const failures = failuresOf(findings, limits);
  const counted = few.length > 0 ? [] : judged.filter((one) => one.isJudged && hasTesters(one.rule, a, b));
  const hasRules = judged.some(({ isRuled }) => isRuled);
  const { open, noted } =
    few.length > 0
      ? { open: few, noted: [] }
      : doubtsOf(given, { findings, limits, judged: counted.length, hasRules });
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
    notes: notesOf(method, allow, without(noted, doubts)),
    suggestions: [],
  };
}

/**
 * Every change with its rule and chances. The family is chosen by tags alone, never by what was found of them: a tag
 * that shrank could have grown.
 */
function withChances(
  { changes, config, a, b }: Case,
  active: readonly Allowed[],
  method: GateVerdict["method"],
): Judged[] {
  const known = changes.map((change) => {
    const allowed = active.find((entry) => matches(entry.tag, change.tag)) ?? null;
    const ruled = judgedKinds
      .map((kind) => ruleOf(config, kind, change.tag))
      .filter(({ level }) => allowed === null && level !== "off");
    const isJudged = ruled.some((rule) => hasTesters(rule, a, b));
    const rule = ruleOf(config, change.kind, change.tag);
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
  const adjusted = adjustedPs(counts);
  const chances = new Map(
    family.map(({ change }, at) => {
      const count = counts[at];
      return [change, { p: count ? fisherP(count) : null, adjustedP: adjusted[at] ?? null }] as const;
    }),
  );
  return known.map((one) => ({ ...one, ...(chances.get(one.change) ?? { p: null, adjustedP: null }) }));
}

function findingOf(one: Judged, { a, b }: Case): GateFinding {
  const { change, rule, allowed, p, adjustedP } = one;
  const { tag, kind, testersA, testersB } = change;
  const { level, maxIncreasePoints, confidence, minTesters } = rule;
  return {
    tag,
    kind,
    status: statusOf(one, a, b),
    level,
    expected: { maxIncreasePoints, confidence, minTesters },
    found: { deltaPct: change.deltaPct, testersA, testersB, p, adjustedP },
    reason: allowed?.reason ?? null,
    evidence: [],
  };
}

function statusOf({ change, rule, allowed, adjustedP }: Judged, a: Side, b: Side): FindingStatus {
  if (rule.level === "off") return "off";
  if (!hasTesters(rule, a, b)) return "unsure";
  if (growthOf(change, a, b) <= rule.maxIncreasePoints) return "small";
  if (allowed) return "allowed";
  // Without counts points alone can be judged.
  if (adjustedP !== null && adjustedP > 1 - rule.confidence) return "noise";
  return rule.level === "error" ? "failed" : "warned";
}

const hasTesters = ({ minTesters }: Rule, a: Side, b: Side) => Math.min(a.testers, b.testers) >= minTesters;

/** Lets up to so many introduced tags pass with a warning; where there are more, all of them fail. */
function withinNew(findings: readonly GateFinding[], maxNew: number): GateFinding[] {
  const isNew = ({ kind, status }: GateFinding) => kind === "introduced" && status === "failed";
  const added = findings.filter(isNew);
  return added.length > maxNew
    ? [...findings]
    : findings.map((one) => (isNew(one) ? { ...one, status: "warned" as const } : one));
}

const without = (texts: readonly string[], told: readonly string[]) =>
  texts.filter((text) => !told.includes(text));

function stateOf({ tag, reason, expires }: Allowed, now: number): Allowance {
  const end = Date.parse(`${expires}T00:00:00Z`) + DAY_MS;
  const state = now >= end ? "expired" : now >= end - WARN_BEFORE ? "expiring" : "active";
  return { tag, reason, expires, state, used: false };
}
