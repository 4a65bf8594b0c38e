/** Judges what changed between two builds by the rules of a gate. Pure: all it looks at is given. */
import {
  type Allowed,
  type GateConfig,
  judgedKinds,
  type Limits,
  matches,
  type Rule,
  ruleOf,
} from "./config.ts";
import { adjustedPs, fisherP, type TagCounts } from "./fisher.ts";
import { judgeLimits } from "./limits.ts";
import { failuresOf, notesOf } from "./reasons.ts";
import { pointsBetween, type Side, type TagChange } from "./sides.ts";
import {
  type Allowance,
  type FindingStatus,
  type GateFinding,
  type GateVerdict,
  type LimitFinding,
  VERDICT_VERSION,
} from "./verdict.ts";

const DAY = 86_400_000;
/** So long before an entry of the allow-list expires it is warned of, ms. */
const WARN_BEFORE = 7 * DAY;

/** What is judged, and when. */
export interface Case {
  readonly game: string;
  readonly environment: string;
  readonly a: Side;
  readonly b: Side;
  readonly changes: readonly TagChange[];
  readonly config: GateConfig;
  /** Unix ms: what allow-list entries expire by. */
  readonly now: number;
}

interface Judged {
  readonly change: TagChange;
  readonly rule: Rule;
  readonly allowed: Allowed | null;
  /** Whether the tag could have failed or warned, grown enough: those that the p-values are corrected for. */
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
  // A limit that was crossed has failed also where there was no tag to judge.
  const open = few.length > 0 ? few : [...untestedTags(given, judged), ...unknownLimits(limits, config)];
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
    judged: judged.filter(({ isJudged }) => isJudged).length,
    findings,
    limits,
    allow: allow.map((entry) => ({ ...entry, used: used.has(entry.tag) })),
    notes: notesOf(method, allow),
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
    const isJudged = allowed === null && couldCount(config, change.tag);
    return { change, rule: ruleOf(config, change.kind, change.tag), allowed, isJudged };
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

/** Whether any kind of change of a tag is judged. */
function couldCount(config: GateConfig, tag: string): boolean {
  return judgedKinds.some((kind) => ruleOf(config, kind, tag).level !== "off");
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

/** The growth of a tag's share, points: exact where the counts are known, else as the service rounded it. */
function growthOf({ testersA, testersB, deltaPct }: TagChange, a: Side, b: Side): number {
  if (testersA === null || testersB === null) return deltaPct;
  return pointsBetween(testersA, a.testers, testersB, b.testers);
}

/** Lets up to so many introduced tags pass with a warning; where there are more, all of them fail. */
function withinNew(findings: readonly GateFinding[], maxNew: number): GateFinding[] {
  const isNew = ({ kind, status }: GateFinding) => kind === "introduced" && status === "failed";
  const added = findings.filter(isNew);
  return added.length > maxNew
    ? [...findings]
    : findings.map((one) => (isNew(one) ? { ...one, status: "warned" as const } : one));
}

/** Whose testers are too few for anything to be concluded; none where there are enough. */
function fewTesters({ config, a, b, environment }: Case): string[] {
  const general = ruleOf(config, "introduced", "");
  const few = [a, b].flatMap(({ version, testers }) => {
    if (testers === 0) return [`build ${version} has no testers${placeOf(environment)}`];
    if (testers >= general.minTesters) return [];
    const asked = `${general.minTesters} testers${placeOf(environment)} that it takes`;
    return [`build ${version} has ${testers} of the ${asked}`];
  });
  if (few.length > 0) return few;
  const least = fisherP({ testersA: 0, totalA: a.testers, testersB: b.testers, totalB: b.testers });
  if (least <= 1 - general.confidence) return [];
  return [
    `${a.testers} and ${b.testers} testers are too few: even a tag that every one of them met could be chance`,
  ];
}

const placeOf = (environment: string) => (environment === "all" ? "" : ` in ${environment}`);

/** Why no tag could be judged, of testers enough; empty where one was. */
function untestedTags({ a, b, environment }: Case, all: readonly Judged[]): string[] {
  const judged = all.filter(({ isJudged }) => isJudged);
  if (judged.length === 0) {
    const where = placeOf(environment);
    return [
      `no tag could be judged${where}: nothing was found in either build, or all of it is off or allowed`,
    ];
  }
  if (judged.some(({ rule }) => hasTesters(rule, a, b))) return [];
  return ["no tag has the testers that its rule takes"];
}

/** A limit that would fail the gate, and of which nothing is known, lets nothing pass. */
function unknownLimits(limits: readonly LimitFinding[], { limits: set = {} }: GateConfig): string[] {
  return limits
    .filter(({ name, status }) => status === "unknown" && set[name as keyof Limits]?.level !== "warn")
    .map(({ name }) => `${name} is not known`);
}

/** Where nothing can be concluded, nothing has failed or is warned of either. */
function withoutDoubt<T extends { readonly status: string }>(
  all: readonly T[],
  doubt: T["status"] | null,
): T[] {
  return all.map((one) =>
    doubt !== null && (one.status === "failed" || one.status === "warned") ? { ...one, status: doubt } : one,
  );
}

function stateOf({ tag, reason, expires }: Allowed, now: number): Allowance {
  const end = Date.parse(`${expires}T00:00:00Z`) + DAY;
  const state = now >= end ? "expired" : now >= end - WARN_BEFORE ? "expiring" : "active";
  return { tag, reason, expires, state, used: false };
}
