/** The rules of the gate: the `gate` section of playtest.config.json, its defaults, and the rule that applies to a tag. */
import * as z from "zod";

export const levels = ["off", "warn", "error"] as const;
export type GateLevel = (typeof levels)[number];

export const onInconclusive = ["fail", "warn", "pass"] as const;
export type OnInconclusive = (typeof onInconclusive)[number];

/** The kinds of change that can fail the gate. All others are only shown. */
export const judgedKinds = ["introduced", "got_larger", "carried_over"] as const;
export type JudgedKind = (typeof judgedKinds)[number];

const level = z
  .enum(levels)
  .describe(
    "error: an increase fails the gate; warn: an increase shows a warning; off: an increase has no effect. A tag is left out of the comparison only if its level is off for introduced, got_larger and carried_over alike",
  );
const maxIncreasePoints = z
  .number()
  .min(0)
  .max(100)
  .describe("Maximum increase of a tag's share of testers, in percentage points");
const minTesters = z
  .int()
  .min(1)
  .max(1_000_000)
  .describe(
    "Minimum number of testers in each build. With fewer, the gate is inconclusive. In a rule for a kind or tag: if a " +
      "build has fewer testers, an increase that would fail makes the gate inconclusive (unless something else fails), " +
      "and an increase that would warn is only listed as a note",
  );
const confidence = z
  .number()
  .min(0.5)
  .max(0.9999)
  .describe(
    "Required confidence for all tags together. With 0.95, two builds that do not differ fail in at most 5% of runs",
  );

const detectPoints = z
  .number()
  .min(1)
  .max(100)
  .describe(
    "The gate is inconclusive if it would notice a new tag that affects this percentage of testers with a " +
      "probability of less than 70% (default: 40)",
  );

const rule = z.strictObject({
  level: level.optional(),
  maxIncreasePoints: maxIncreasePoints.optional(),
  minTesters: minTesters.optional(),
  confidence: confidence.optional(),
});

const pattern = z
  .string()
  .min(1)
  .max(200)
  .describe("A tag such as difficulty-spike:level-09; * matches any text, as in bug-report:*");

const tagRule = z.strictObject({ tag: pattern, ...rule.shape });

const day = z.iso.date().describe("Last day of the exception (UTC), such as 2026-12-31");

const allowEntry = z.strictObject({
  tag: pattern,
  reason: z
    .string()
    .min(1)
    .max(500)
    .describe("Why the tag may increase for now, such as a ticket or a decision"),
  expires: day,
});

/** Requires at least one of two bounds, also in the JSON Schema. */
function requireBound<T extends z.ZodObject>(limit: T, bounds: readonly [string, string]): T {
  return limit
    .refine((value) => bounds.some((name) => value[name] !== undefined), {
      error: `must have ${bounds.join(" or ")}, or both`,
    })
    .meta({ anyOf: bounds.map((name) => ({ required: [name] })) });
}

const limitLevel = z
  .enum(["warn", "error"])
  .optional()
  .describe("Effect of crossing the limit (default: error)");
const limits = z.strictObject({
  engagementRate: requireBound(
    z.strictObject({
      min: z.number().min(0).max(1).optional().describe("Minimum engagement rate of build b, 0 to 1"),
      maxDropPoints: z
        .number()
        .min(0)
        .max(100)
        .optional()
        .describe("Maximum decrease from a to b, in percentage points"),
      level: limitLevel,
    }),
    ["min", "maxDropPoints"],
  )
    .optional()
    .describe("Engagement rate: active time divided by wall time"),
  medianActiveSec: requireBound(
    z.strictObject({
      min: z.number().min(0).optional().describe("Minimum for build b, in seconds"),
      maxDropPct: z
        .number()
        .min(0)
        .max(100)
        .optional()
        .describe("Maximum decrease from a to b, in percent of the value of a"),
      level: limitLevel,
    }),
    ["min", "maxDropPct"],
  )
    .optional()
    .describe("Median active time per session"),
  bugReportsPerSession: requireBound(
    z.strictObject({
      max: z.number().min(0).optional().describe("Maximum for build b"),
      maxIncrease: z.number().min(0).optional().describe("Maximum increase from a to b"),
      level: limitLevel,
    }),
    ["max", "maxIncrease"],
  )
    .optional()
    .describe("Insights about crashes and errors per session"),
});

/** The `gate` of playtest.config.json. */
export const gateConfig = z.strictObject({
  env: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("Environment of both builds, or all (default: production)"),
  onInconclusive: z
    .enum(onInconclusive)
    .optional()
    .describe("Effect of an inconclusive result (default: fail, with exit code 11)"),
  confidence: confidence.optional(),
  minTesters: minTesters.optional(),
  maxIncreasePoints: maxIncreasePoints.optional(),
  detectPoints: detectPoints.optional(),
  plannedTesters: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      "Testers of build b after which repeated runs end (`--sequential`; default: as many as detectPoints needs)",
    ),
  maxNew: z
    .int()
    .min(0)
    .optional()
    .describe("If at most this many introduced tags would fail, they only warn (default: 0)"),
  kinds: z
    .strictObject({
      introduced: rule.optional().describe("Tags that no tester of a had (default level: error)"),
      got_larger: rule
        .optional()
        .describe("Tags that increased by at least 10 percentage points (default level: error)"),
      carried_over: rule
        .optional()
        .describe(
          "Tags that changed by less than 10 percentage points (default: level and limit of got_larger)",
        ),
    })
    .optional()
    .describe("Rules by kind of change"),
  tags: z
    .array(tagRule)
    .max(1000)
    .optional()
    .describe("Rules by tag. The last matching rule overrides the rule for the kind"),
  allow: z
    .array(allowEntry)
    .max(1000)
    .optional()
    .describe("Temporary exceptions: tags that may increase until a date"),
  limits: limits.optional().describe("Limits on other metrics of the builds (default: none)"),
});
export type GateConfig = z.output<typeof gateConfig>;
export type AllowEntry = z.output<typeof allowEntry>;
export type GateLimits = z.output<typeof limits>;

/** The rules of the file after flags, and the kinds of change that `--fail-on` lists, if given. */
export interface GateRules extends GateConfig {
  readonly failOn?: readonly JudgedKind[];
}

type KindRule = z.output<typeof rule>;

/** The rule that applies to one tag. */
export interface TagRule {
  readonly level: GateLevel;
  readonly maxIncreasePoints: number;
  readonly minTesters: number;
  readonly confidence: number;
}

export const DEFAULT_CONFIDENCE = 0.95;
export const DEFAULT_MIN_TESTERS = 5;
export const DEFAULT_MAX_INCREASE = 10;
export const DEFAULT_DETECT_POINTS = 40;

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
  return {
    ...own,
    level: own.level ?? level,
    maxIncreasePoints: own.maxIncreasePoints ?? maxIncreasePoints,
  };
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
