/** Decides the verdict: applies the rules of the gate to the rows of a scorecard. Has no side effects, and tests nothing itself. */
import { parseRowId } from "../scorecard/figures.ts";
import { DEFAULT_OPTIONS } from "../scorecard/options.ts";
import { measureDetection } from "../scorecard/plan.ts";
import type { ScorecardOptions } from "../scorecard/scorecard.ts";
import { describeEntrants, formatMean, isWatched, type TitledRow } from "../scorecard/titled-rows.ts";
import { MIN_CHANGE_POINTS } from "../shared/friction-diff.ts";
import { DAY_MS } from "../shared/time-units.ts";
import {
  type AllowEntry,
  DEFAULT_CONFIDENCE,
  DEFAULT_DETECT_POINTS,
  DEFAULT_MAX_INCREASE,
  DEFAULT_MIN_ANALYZED,
  type GateConfig,
  type GateRules,
  requiredTesters,
} from "./config.ts";
import type { GateBuild, GateInput } from "./gate-input.ts";
import { judgeLimits } from "./limits.ts";
import {
  canDecide,
  findDecidingFamilies,
  findMaxIncrease,
  findMetricRule,
  type MetricRule,
} from "./metric-rules.ts";
import { matchesTagPattern, resolveRule, type TagRule } from "./resolve-rule.ts";
import {
  type Allowance,
  type GateCheck,
  type GateVerdict,
  type LimitFinding,
  type Ruling,
  VERDICT_VERSION,
} from "./verdict.ts";

/** What a scorecard needs to know of the rules. `level` is that of this run among repeated ones. */
export function toScorecardOptions(config: GateRules, level?: number): ScorecardOptions {
  const { confidence = DEFAULT_CONFIDENCE, maxIncreasePoints = DEFAULT_MAX_INCREASE, newRooms } = config;
  const { limits, newRooms: defaults } = DEFAULT_OPTIONS;
  const share = maxIncreasePoints / 100;
  return {
    level: level ?? Number((1 - confidence).toPrecision(12)),
    families: findDecidingFamilies(config),
    limits: Object.fromEntries(Object.keys(limits).map((name) => [name, share])),
    newRooms: {
      max: newRooms?.max === undefined ? defaults.max : newRooms.max / 100,
      count: newRooms?.count ?? defaults.count,
    },
  };
}

/** The verdict without evidence and suggestions, which the caller adds. */
export function judge(input: GateInput): GateVerdict {
  const { config, a, b } = input;
  const allow = (config.allow ?? []).map((entry) => toAllowance(entry, input.now));
  const active = (config.allow ?? []).filter((_, at) => allow[at]?.state !== "expired");
  const ruled = applyMaxNew(
    input.rows.map((row) => ruleRow(row, active, input)),
    config.maxNew ?? 0,
  );
  const blocked = explainBlocked(input);
  const checks = blocked.length > 0 ? ruled.map(withoutEffect) : ruled;
  const limits = [
    ...(input.scripted?.findings ?? []),
    ...judgeLimits(input).map((limit) => (blocked.length > 0 ? uncheck(limit, "too few testers") : limit)),
  ];
  const failures = [
    ...checks.filter(isFailed).map(describeCheck),
    ...limits.filter(isFailed).map(describeLimit),
  ];
  const compared = blocked.length > 0 ? [] : checks.filter(isCompared);
  const detection = compared.length === 0 ? null : detectNewProblem(input);
  // A failure always wins over an inconclusive result.
  const doubts =
    failures.length > 0
      ? []
      : blocked.length > 0
        ? blocked
        : explainDoubts({ checks, limits, compared, detection }, input);
  return {
    schemaVersion: VERDICT_VERSION,
    verdict: doubts.length > 0 ? "inconclusive" : failures.length > 0 ? "failed" : "passed",
    reasons: doubts.length > 0 ? doubts : failures,
    game: input.game,
    environment: input.environment,
    a: describeBuild(a),
    b: describeBuild(b),
    isTested: input.scorecard !== null,
    // A row whose rule needs more testers could not have failed.
    judged: compared.filter(({ ruling }) => ruling !== "unsure").length,
    detection,
    checks,
    limits,
    allow: allow.map((entry) => ({ ...entry, used: checks.some((check) => uses(check, entry)) })),
    notes: [...input.notes, ...allow.flatMap((entry) => describeAllowance(entry, checks))],
    suggestions: [],
  };
}

const describeBuild = ({ version, testers, ended, analyzed }: GateBuild): GateVerdict["a"] => ({
  version,
  testers,
  ended,
  analyzed,
});

const isFailed = ({ ruling, status }: { readonly ruling?: Ruling; readonly status: string }) =>
  (ruling ?? status) === "failed";

const isCompared = ({ ruling, level }: GateCheck) =>
  level !== "off" && ruling !== "off" && ruling !== "not comparable" && ruling !== "allowed";

const uses = ({ ruling, id }: GateCheck, { tag }: Allowance) =>
  ruling === "allowed" && matchesTagPattern(tag, id);

function toAllowance({ tag, reason, expires }: AllowEntry, now: number): Allowance {
  const end = Date.parse(`${expires}T00:00:00Z`) + DAY_MS;
  const state = now >= end ? "expired" : now >= end - EXPIRY_WARNING_MS ? "expiring" : "active";
  return { tag, reason, expires, state, used: false };
}

/** How long before its end an exception is reported as expiring. */
const EXPIRY_WARNING_MS = 7 * DAY_MS;

/** What is wrong with an exception: it is about to end or over, or no row has its name. */
function describeAllowance({ tag, expires, state }: Allowance, checks: readonly GateCheck[]): string[] {
  const isUnknown = checks.length > 0 && !checks.some(({ id }) => matchesTagPattern(tag, id));
  if (state === "active") return isUnknown ? [`No row matches the exception for ${tag}.`] : [];
  return [
    state === "expired"
      ? `The exception for ${tag} expired on ${expires}.`
      : `The exception for ${tag} expires on ${expires}.`,
  ];
}

/** The kind of change by which a rule is chosen: a change of a mean has got larger. Without counts, it is that of the service. */
function classifyRow({ isNewRoom, isRareInA, difference, unit, kind }: TitledRow, isTested: boolean): string {
  if (!isTested) return kind ?? "carried_over";
  if (isNewRoom || isRareInA) return "introduced";
  return unit !== "share" || (difference ?? 0) * 100 >= MIN_CHANGE_POINTS ? "got_larger" : "carried_over";
}

function ruleRow(row: TitledRow, active: readonly AllowEntry[], input: GateInput): GateCheck {
  const { config, scorecard } = input;
  const rule = limitLevel(
    resolveRule(config, classifyRow(row, scorecard !== null), row.id),
    findMetricRule(config, row.name),
  );
  const allowed = active.find((entry) => matchesTagPattern(entry.tag, row.id)) ?? null;
  const ruling = decideRuling(row, rule, allowed, input);
  const { id, title, metric, family, unit, kind, status, isNewRoom, isIntroduced, a, b, difference, range } =
    row;
  return {
    ...{ id, title, metric, family, unit, kind, status, ruling },
    level: canDecide(row, config) ? rule.level : "off",
    limit: canDecide(row, config) ? findLimit(row, rule, config) : null,
    reason: ruling === "allowed" ? (allowed?.reason ?? null) : row.reason,
    newOnly: row.newOnly ?? false,
    ...{ isNewRoom, isIntroduced, a, b, difference, range },
    pValue: row.pValue,
    adjustedPValue: row.adjustedPValue,
    evidence: [],
  };
}

/** The limit of a row, in its unit; null if every change matters. */
function findLimit(row: TitledRow, { maxIncreasePoints }: TagRule, config: GateRules): number | null {
  if (row.isNewRoom) return row.limit;
  return isIncrease(row) ? maxIncreasePoints / 100 : findMaxIncrease(row, findMetricRule(config, row.name));
}

/** The rule of a metric decides how a row fails that no rule for its tag turns off. */
const limitLevel = (rule: TagRule, metric: MetricRule | undefined): TagRule =>
  rule.level === "error" && metric?.level !== undefined ? { ...rule, level: metric.level } : rule;

/** Whether a row is worse if a share increases. Other rows have no limit. */
const isIncrease = ({ unit, worse }: TitledRow): boolean => unit === "share" && worse === "more";

function decideRuling(row: TitledRow, rule: TagRule, allowed: AllowEntry | null, input: GateInput): Ruling {
  if (row.reason !== null) return "not comparable";
  if (!canDecide(row, input.config) || rule.level === "off") return "off";
  if (!isBeyondLimit(row, rule, input)) return isWatched(row) ? "watch" : "passed";
  if (allowed !== null) return "allowed";
  if (Math.min(input.a.testers, input.b.testers) < rule.minTesters) return "unsure";
  return rule.level === "error" ? "failed" : "warned";
}

/**
 * The probability with which a new problem must be noticed. With 20 tested tags and one more that affects 40% of testers, 20
 * testers per group are enough.
 */
const REQUIRED_POWER = 0.7;

/** What could have been noticed; null if nothing is tested, or new problems of this size do not fail the gate. */
function detectNewProblem({ config, scorecard, scripted }: GateInput): GateVerdict["detection"] {
  const { detectPoints = DEFAULT_DETECT_POINTS } = config;
  const { level, maxIncreasePoints } = resolveRule(config, "introduced", "");
  const { families } = toScorecardOptions(config);
  // Few runs cannot notice one. They decide by what each run must do.
  if (scorecard === null || scripted || level !== "error" || !families.includes("friction")) return null;
  if (maxIncreasePoints >= detectPoints) return null;
  const { noticed, power, testersPerGroup } = measureDetection(scorecard, {
    share: detectPoints / 100,
    limit: maxIncreasePoints / 100,
    power: REQUIRED_POWER,
  });
  const sufficient = power >= REQUIRED_POWER;
  return {
    testersB: noticed,
    detectPoints,
    power,
    sufficient,
    enoughTesters: sufficient ? null : testersPerGroup,
  };
}

/** An increase of exactly the limit is not above it: in binary, 0.4 - 0.3 is more than 0.1. */
const EPSILON = 1e-9;

/** Whether a row is worse by more than its limit. The limit of a new room is part of its test. */
function isBeyondLimit(row: TitledRow, rule: TagRule, { config, scorecard }: GateInput): boolean {
  const { difference, isNewRoom, status, adjustedPValue } = row;
  const limit = findLimit(row, rule, config);
  const isAbove = isNewRoom || limit === null || (difference ?? 0) > limit + EPSILON;
  if (scorecard === null) return isAbove;
  const { families } = toScorecardOptions(config);
  // The rule may require more confidence than that with which the row is worse.
  const required = (1 - rule.confidence) / families.length;
  return status === "worse" && isAbove && (adjustedPValue ?? 0) <= required + EPSILON;
}

/** Turns failures that came with b into warnings if there are at most `maxNew` of them. */
function applyMaxNew(checks: readonly GateCheck[], maxNew: number): GateCheck[] {
  const isNew = ({ isIntroduced, kind, ruling }: GateCheck) =>
    ruling === "failed" && (isIntroduced || kind === "introduced");
  if (checks.filter(isNew).length > maxNew) return [...checks];
  return checks.map((check) => (isNew(check) ? { ...check, ruling: "warned" } : check));
}

/** A row that neither fails nor warns, because nothing can be decided. */
export const withoutEffect = (check: GateCheck): GateCheck =>
  check.ruling === "failed" || check.ruling === "warned" ? { ...check, ruling: "unsure" } : check;

export const uncheck = (limit: LimitFinding, reason: string): LimitFinding =>
  limit.status === "failed" || limit.status === "warned" ? { ...limit, status: "unknown", reason } : limit;

/** Why nothing can be decided: too few testers, or different versions of the rules of the analysis. */
function explainBlocked({ a, b, environment, config, rows, scripted }: GateInput): string[] {
  const required = requiredTesters(config);
  const where = environment === "all" ? "" : ` in ${environment}`;
  const few = (scripted?.hasBaseline === false ? [b] : [a, b])
    .filter(({ testers }) => testers < Math.max(1, required))
    .map(({ version, testers }) => `${version} has ${countTesters(testers)}${where}, ${required} needed`);
  const areDifferent = rows.some(({ reason }) => reason === "different analyses");
  const versions = areDifferent
    ? [
        `the sessions of ${a.version} and ${b.version} were analyzed with different versions of the rules: wait until the older ones are analyzed again, or save the baseline again`,
      ]
    : [];
  return [...few, ...(few.length === 0 ? versions : [])];
}

const countTesters = (count: number) => (count === 1 ? "1 tester" : `${count} testers`);

interface Results {
  readonly checks: readonly GateCheck[];
  readonly limits: readonly LimitFinding[];
  readonly compared: readonly GateCheck[];
  readonly detection: GateVerdict["detection"];
}

/** Why the gate cannot pass although nothing failed. */
function explainDoubts({ checks, limits, compared, detection }: Results, input: GateInput): string[] {
  const { a, b, config, scripted } = input;
  const isEmpty = compared.length === 0 && scripted?.hasBaseline !== false;
  return [
    ...[a, b].flatMap((build) => explainUnanalyzed(build, config)),
    ...checks
      .filter(({ ruling, level }) => ruling === "unsure" && level === "error")
      .map((check) => `${describeCheck(check)}, but its rule needs more testers`),
    ...(isEmpty ? ["nothing to compare: no row that can fail is in both builds"] : []),
    ...explainInsensitivity(detection, input),
    ...limits
      .filter(({ name, status }) => status === "unknown" && findLevel(config, name) !== "warn")
      .map(({ name }) => `the value of ${name} is unknown`),
  ];
}

/** The level of a limit, or of the metric whose maximum it is. */
const findLevel = ({ limits = {}, ...config }: GateConfig, name: string) =>
  Object.entries(limits).find(([key]) => key === name)?.[1]?.level ??
  findMetricRule(config, parseRowId(name).metric.name)?.level;

/** A build whose sessions are not analyzed is not a build without friction. */
function explainUnanalyzed({ version, ended, analyzed }: GateBuild, { minAnalyzed }: GateConfig): string[] {
  if (ended === null || analyzed === null || ended === 0) return [];
  if ((100 * analyzed) / ended >= (minAnalyzed ?? DEFAULT_MIN_ANALYZED)) return [];
  return [`${ended - analyzed} of ${ended} sessions of ${version} are not analyzed yet`];
}

/** The gate cannot pass if it would probably miss a new problem that affects `detectPoints` percent of testers. */
function explainInsensitivity(detection: GateVerdict["detection"], { a, b, level }: GateInput): string[] {
  if (detection === null || detection.sufficient) return [];
  const { detectPoints, power, enoughTesters } = detection;
  // In repeated runs, the next test is due with a planned number of testers.
  const more =
    level !== undefined || enoughTesters === null
      ? ""
      : `: ${enoughTesters} testers of each build are enough`;
  return [
    `${a.testers} and ${countTesters(b.testers)} notice a new problem that affects ${detectPoints}% only with a probability of ${Math.round(power * 100)}%${more}`,
  ];
}

/** A check that failed, such as `difficulty-spike:furnace: 1/13 → 11/18, limit +10 pts`. */
export function describeCheck({ id, a, b, isNewRoom, newOnly, limit, unit, difference }: GateCheck): string {
  if (isNewRoom) {
    const allowed = limit === null ? "" : `, limit ${Math.round(limit * 100)}%`;
    return `${id}: ${b.count}/${b.total} ${describeEntrants({ newOnly })}${allowed}`;
  }
  if (unit !== "share") {
    const allowed = limit === null ? "" : `, limit +${formatMean(limit, unit)}`;
    return `${id}: ${formatMean(a.value ?? 0, unit)} → ${formatMean(b.value ?? 0, unit)}${allowed}`;
  }
  const allowed = limit === null ? "" : `, limit +${Math.round(limit * 100)}`;
  const points = `${(difference ?? 0) > 0 ? "+" : ""}${Math.round((difference ?? 0) * 100)} pts${allowed}`;
  return a.count === null
    ? `${id}: ${points}`
    : `${id}: ${a.count}/${a.total} → ${b.count}/${b.total}, ${points}`;
}

/** The measured value of a limit, or its change, such as `bugReportsPerSession rose by 0.26 (limit: …)`. */
export function describeLimit({ name, found, expected, interval }: LimitFinding): string {
  const verb = /^(rose|fell) by /.test(found) ? "" : "is ";
  const range = interval === null ? "" : `; interval: ${interval.low} to ${interval.high}`;
  return `${name} ${verb}${found} (limit: ${expected}${range})`;
}
