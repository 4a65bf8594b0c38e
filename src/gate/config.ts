/** The `gate` section of playtest.config.json and its defaults. */
import * as z from "zod";
import { MIN_COMPARED_TESTERS } from "../contract/build-order.ts";
import { DEFAULT_MAX_INCREASE, DEFAULT_NEW_ROOM_SHARE } from "../scorecard/options.ts";
import { gateLimits, percent } from "./limits-config.ts";
import { decidingMetrics, metricRules } from "./metric-rules.ts";

export const levels = ["off", "warn", "error"] as const;
export type GateLevel = (typeof levels)[number];

export const onInconclusive = ["fail", "warn", "pass"] as const;
export type OnInconclusive = (typeof onInconclusive)[number];

/** The families of metrics that can decide. */
export const decidingFamilies = ["friction", "quits", "ratings", "crash", "performance"] as const;

/** The kinds of change that can fail the gate. */
export const judgedKinds = ["introduced", "got_larger", "carried_over"] as const;
export type JudgedKind = (typeof judgedKinds)[number];

const level = z
  .enum(levels)
  .describe("error: a worse row fails the gate; warn: it shows a warning; off: it is ignored");
const maxIncreasePoints = percent.describe("Maximum increase of a share of testers, in percentage points");
const testerCount = z.int().min(1).max(1_000_000);
const minTesters = testerCount.describe(
  "Minimum number of testers in each build. With fewer, the gate is inconclusive. In a rule for a kind or tag: if a " +
    "build has fewer testers, an increase that would fail makes the gate inconclusive (unless something else fails), " +
    "and an increase that would warn is only listed as a note",
);
const confidence = z
  .number()
  .min(0.5)
  .max(0.9999)
  .describe(
    "Required confidence for all rows together. With 0.95, two builds that do not differ fail in at most 5% of runs",
  );

const rule = z.strictObject({
  level: level.optional(),
  maxIncreasePoints: maxIncreasePoints.optional(),
  minTesters: minTesters.optional(),
  confidence: confidence
    .describe("Required confidence for the rows of this rule, if it is higher than that of all")
    .optional(),
});

const pattern = z
  .string()
  .min(1)
  .max(200)
  .describe(
    "A tag such as difficulty-spike:level-09, or a metric such as quit:level-09; * matches any text, as in bug-report:*",
  );

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
  detectPoints: z
    .number()
    .min(1)
    .max(100)
    .describe(
      "The gate is inconclusive if the probability of noticing a new tag that affects this percentage of testers is " +
        "below 70% (default: 40)",
    )
    .optional(),
  minAnalyzed: percent
    .optional()
    .describe(
      "Percentage of the ended sessions of each build that must be analyzed for the gate to pass (default: 90)",
    ),
  families: z
    .array(z.enum(decidingFamilies))
    .min(1)
    .optional()
    .describe(
      "Families of metrics that decide, and share the error rate of 1 - confidence (default: friction and quits)",
    ),
  metrics: metricRules.optional(),
  newRooms: z
    .strictObject({
      max: percent
        .optional()
        .describe(
          `Percentage of those who entered a new room that may meet friction in it, or quit there (default: ${DEFAULT_NEW_ROOM_SHARE * 100})`,
        ),
      count: z
        .enum(["new", "all"])
        .optional()
        .describe(
          "Who counts in new rooms: testers who had not played a (new), or also those who had, and have practice (default: new)",
        ),
    })
    .optional()
    .describe("Rooms that nobody of a entered"),
  plannedTesters: testerCount
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
      introduced: rule
        .optional()
        .describe(
          "What at most 10% of the testers of a had, and what is in new rooms (default level: error)",
        ),
      got_larger: rule
        .optional()
        .describe("Other increases of at least 10 percentage points (default level: error)"),
      carried_over: rule
        .optional()
        .describe("Increases of less than 10 percentage points (default: level and limit of got_larger)"),
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
export type KindRule = z.output<typeof rule>;
export type AllowEntry = z.output<typeof allowEntry>;

/** The rules of the file after flags. */
export const gateRules = gateConfig.extend({
  onlyMetrics: z
    .array(z.enum(decidingMetrics))
    .optional()
    .describe("The only metrics that decide, of --metrics"),
  failOn: z
    .array(z.enum(judgedKinds))
    .optional()
    .describe("The only kinds of change that can fail, of --fail-on"),
});
export interface GateRules extends GateConfig {
  readonly onlyMetrics?: readonly string[] | undefined;
  readonly failOn?: readonly JudgedKind[] | undefined;
}

export const DEFAULT_CONFIDENCE = 0.95;
export const DEFAULT_MIN_TESTERS = MIN_COMPARED_TESTERS;
export { DEFAULT_MAX_INCREASE };
export const DEFAULT_DETECT_POINTS = 40;
export const DEFAULT_MIN_ANALYZED = 90;

/** The minimum number of testers in each build. A rule for a kind or tag can require more for its own rows. */
export const requiredTesters = ({ minTesters = DEFAULT_MIN_TESTERS }: GateConfig) => minTesters;
