/** The limits of the gate in playtest.config.json: on other metrics of the builds than tags. */
import * as z from "zod";

export const percent = z.number().min(0).max(100);

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
export const gateLimits = z.strictObject({
  engagementRate: requireBound(
    z.strictObject({
      min: z.number().min(0).max(1).optional().describe("Minimum engagement rate of build b, 0 to 1"),
      maxDropPoints: percent.optional().describe("Maximum decrease from a to b, in percentage points"),
      level: limitLevel,
    }),
    ["min", "maxDropPoints"],
  )
    .optional()
    .describe("Engagement rate: active time divided by wall time"),
  medianActiveSec: requireBound(
    z.strictObject({
      min: z.number().min(0).optional().describe("Minimum for build b, in seconds"),
      maxDropPct: percent.optional().describe("Maximum decrease from a to b, in percent of the value of a"),
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
    .describe("Different tags about crashes and errors per session"),
});
export type GateLimits = z.output<typeof gateLimits>;
