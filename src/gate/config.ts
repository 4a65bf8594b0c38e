/** The `gate` section of playtest.config.json and its defaults. */
import * as z from "zod";
import { gateLimits } from "./limits-config.ts";

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
    "error: an increase fails the gate; warn: an increase shows a warning; off: an increase is ignored. If introduced, got_larger and carried_over are all off for a tag, it is not compared",
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
    "The gate is inconclusive if the probability of noticing a new tag that affects this percentage of testers is " +
      "below 70% (default: 40)",
  );

const rule = z.strictObject({
  level: level.optional(),
  maxIncreasePoints: maxIncreasePoints.optional(),
  minTesters: minTesters.optional(),
  confidence: confidence
    .describe(
      "Required confidence for the tags of this rule. With 0.99, an increase counts if its corrected p-value is at most 0.01",
    )
    .optional(),
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
      "Number of testers of build b at which `--sequential` tests for the last time (default: as many as detectPoints needs)",
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
  limits: gateLimits.optional().describe("Limits on other metrics of the builds (default: none)"),
});
export type GateConfig = z.output<typeof gateConfig>;
/** The rule for a kind of change. */
export type KindRule = z.output<typeof rule>;
export type AllowEntry = z.output<typeof allowEntry>;

/** The rules of the file after flags, and the kinds of change that `--fail-on` lists, if given. */
export interface GateRules extends GateConfig {
  readonly failOn?: readonly JudgedKind[];
}

export const DEFAULT_CONFIDENCE = 0.95;
export const DEFAULT_MIN_TESTERS = 5;
export const DEFAULT_MAX_INCREASE = 10;
export const DEFAULT_DETECT_POINTS = 40;
