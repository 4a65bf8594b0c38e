/** What a gate is told: the `gate` of playtest.config.json, its defaults, and the rule that holds for a tag. */
import * as z from "zod";

export const levels = ["off", "warn", "error"] as const;
export type GateLevel = (typeof levels)[number];

export const onInconclusive = ["fail", "warn", "pass"] as const;
export type OnInconclusive = (typeof onInconclusive)[number];

/** The kinds of change that can be for the worse; the others are shown and never judged. */
export const judgedKinds = ["introduced", "got_larger", "carried_over"] as const;
export type JudgedKind = (typeof judgedKinds)[number];

const level = z
  .enum(levels)
  .describe("error fails the gate, warn is told, off is not judged and does not count among the tags judged");
const maxIncreasePoints = z
  .number()
  .min(0)
  .max(100)
  .describe("A tag's share of testers may grow by so many percentage points; more is material");
const minTesters = z
  .int()
  .min(1)
  .max(1_000_000)
  .describe(
    "Fewer testers in either build than this say nothing. For the whole gate: it is inconclusive. For a kind or tag: " +
      "growth that would fail makes a pass inconclusive, growth that would warn is noted",
  );
const confidence = z
  .number()
  .min(0.5)
  .max(0.9999)
  .describe(
    "How sure a growth must be, of all tags together: with 0.95 two equal builds fail in at most 5 % of runs",
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
  .describe("A tag such as difficulty-spike:level-09; * stands for any text, as in bug-report:*");

const tagRule = z.strictObject({ tag: pattern, ...rule.shape });

const day = z.iso.date().describe("The last day on which it holds, UTC, such as 2026-12-31");

const allowEntry = z.strictObject({
  tag: pattern,
  reason: z.string().min(1).max(500).describe("Why the tag may grow for now: a ticket, a decision"),
  expires: day,
});

/** Refuses a limit that names no bound, and tells so in the schema as well. */
function requireBound<T extends z.ZodObject>(limit: T, bounds: readonly [string, string]): T {
  return limit
    .refine((given) => bounds.some((name) => given[name] !== undefined), {
      error: `takes ${bounds.join(" or ")}, or both`,
    })
    .meta({ anyOf: bounds.map((name) => ({ required: [name] })) });
}

const limitLevel = z.enum(["warn", "error"]).optional().describe("What crossing it does, default error");
const limits = z.strictObject({
  engagementRate: requireBound(
    z.strictObject({
      min: z.number().min(0).max(1).optional().describe("Least active share of the wall time, 0 to 1"),
      maxDropPoints: z.number().min(0).max(100).optional().describe("Most it may drop from a to b, points"),
      level: limitLevel,
    }),
    ["min", "maxDropPoints"],
  )
    .optional()
    .describe("The build's active share of wall time"),
  medianActiveSec: requireBound(
    z.strictObject({
      min: z.number().min(0).optional().describe("Least median active time of a session, seconds"),
      maxDropPct: z
        .number()
        .min(0)
        .max(100)
        .optional()
        .describe("Most it may drop from a to b, percent of a's"),
      level: limitLevel,
    }),
    ["min", "maxDropPct"],
  )
    .optional()
    .describe("The build's median active time of a session"),
  bugReportsPerSession: requireBound(
    z.strictObject({
      max: z.number().min(0).optional().describe("Most findings of crashes and errors a session"),
      maxIncrease: z.number().min(0).optional().describe("Most they may grow from a to b"),
      level: limitLevel,
    }),
    ["max", "maxIncrease"],
  )
    .optional()
    .describe("Findings of crashes and errors, a session"),
});

/** The `gate` of playtest.config.json. */
export const gateConfig = z.strictObject({
  env: z.string().min(1).max(64).optional().describe("Environment of both builds, default production"),
  onInconclusive: z
    .enum(onInconclusive)
    .optional()
    .describe("What an answer that says nothing counts as, default fail: exit code 11"),
  confidence: confidence.optional(),
  minTesters: minTesters.optional(),
  maxIncreasePoints: maxIncreasePoints.optional(),
  maxNew: z
    .int()
    .min(0)
    .optional()
    .describe(
      "Up to so many introduced tags that would fail the gate are warnings; where more would, all fail. Default 0",
    ),
  kinds: z
    .strictObject({
      introduced: rule.optional().describe("Tags that nobody met in a; default error"),
      got_larger: rule.optional().describe("Tags that grew by 10 points or more; default error"),
      carried_over: rule.optional().describe("Tags that changed by less than 10 points; default off"),
    })
    .optional()
    .describe("Rules by the kind of change"),
  tags: z
    .array(tagRule)
    .max(1000)
    .optional()
    .describe("Rules by tag; the last that matches goes before its kind's"),
  allow: z
    .array(allowEntry)
    .max(1000)
    .optional()
    .describe("Tags that may grow until a day; then they count again"),
  limits: limits.optional().describe("Limits on other figures of the builds; none unless set"),
});
export type GateConfig = z.output<typeof gateConfig>;
export type AllowEntry = z.output<typeof allowEntry>;
export type GateLimits = z.output<typeof limits>;

/** What a gate runs with: the file's rules, and the kinds of change that `--fail-on` names, where it is given. */
export interface GateRules extends GateConfig {
  readonly failOn?: readonly JudgedKind[];
}

/** What holds for one tag. */
export interface TagRule {
  readonly level: GateLevel;
  readonly maxIncreasePoints: number;
  readonly minTesters: number;
  readonly confidence: number;
}

export const DEFAULT_CONFIDENCE = 0.95;
export const DEFAULT_MIN_TESTERS = 5;
export const DEFAULT_MAX_INCREASE = 10;

const defaultLevels: Readonly<Record<JudgedKind, GateLevel>> = {
  introduced: "error",
  got_larger: "error",
  carried_over: "off",
};

/**
 * The rule of a tag whose change is of a kind: the last tag rule that matches, then the kind's, then the general ones.
 * Kinds that `failOn` leaves out are off, whatever a tag rule says; those that it names are errors unless one says other.
 */
export function resolveRule(config: GateRules, kind: string, tag: string): TagRule {
  const judged = judgedKinds.find((one) => one === kind && (config.failOn?.includes(one) ?? true));
  const byKind = judged ? config.kinds?.[judged] : undefined;
  const own = config.tags?.findLast((one) => matchesTagPattern(one.tag, tag));
  const kindLevel = judged && (config.failOn ? "error" : (byKind?.level ?? defaultLevels[judged]));
  return {
    level: kindLevel === undefined ? "off" : (own?.level ?? kindLevel),
    maxIncreasePoints:
      own?.maxIncreasePoints ?? byKind?.maxIncreasePoints ?? config.maxIncreasePoints ?? DEFAULT_MAX_INCREASE,
    minTesters: own?.minTesters ?? byKind?.minTesters ?? config.minTesters ?? DEFAULT_MIN_TESTERS,
    confidence: own?.confidence ?? byKind?.confidence ?? config.confidence ?? DEFAULT_CONFIDENCE,
  };
}

/** Whether a tag is meant by a pattern, in which `*` stands for any text. Takes time with their lengths' product at most. */
export function matchesTagPattern(pattern: string, tag: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === tag;
  const last = rest.pop() ?? "";
  if (!tag.startsWith(first) || !tag.endsWith(last) || tag.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = tag.indexOf(part, at);
    if (found < 0 || found + part.length > tag.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
