/** Which metrics decide, and the limits of those about performance. */
import * as z from "zod";
import type { Family, Metric } from "../scorecard/metrics.ts";
import { METRICS } from "../scorecard/metrics.ts";
import { DEFAULT_OPTIONS } from "../scorecard/options.ts";
import type { ScorecardRow } from "../scorecard/rows.ts";

const OF_PERFORMANCE: Family = "performance";

/** The metrics whose rows can decide. */
export const decidingMetrics: readonly string[] = METRICS.filter(({ decides }) => decides).map(
  ({ name }) => name,
);

const limitedMetrics = ["frame-time-p95", "stutter", "load-time", "memory"] as const;

/** What a metric may increase by if its rule sets no limit, in percent of its value in a. */
const DEFAULT_INCREASE_PCT = 10;

const metricRule = z.strictObject({
  level: z
    .enum(["warn", "error"])
    .optional()
    .describe("Effect of a worse row that is beyond its limit (default: error)"),
  maxIncreasePct: z
    .number()
    .min(0)
    .optional()
    .describe(
      `Maximum increase, in percent of the value of a (default without maxIncrease: ${DEFAULT_INCREASE_PCT})`,
    ),
  maxIncrease: z
    .number()
    .min(0)
    .optional()
    .describe("Maximum increase: ms, stuttering frames per minute, or MB"),
  max: z.number().min(0).optional().describe("Maximum for build b, in the same unit"),
});
export type MetricRule = z.output<typeof metricRule>;

export const metricRules = z
  .strictObject(
    Object.fromEntries(limitedMetrics.map((name) => [name, metricRule.optional()])) as Record<
      (typeof limitedMetrics)[number],
      z.ZodOptional<typeof metricRule>
    >,
  )
  .describe("Metrics of performance that decide, tested by tester");
export type MetricRules = Partial<Readonly<Record<string, MetricRule | undefined>>>;

/** The rule of a metric; undefined without one. */
export const findMetricRule = (
  { metrics = {} }: { readonly metrics?: MetricRules | undefined },
  name: string,
): MetricRule | undefined => metrics[name];

/** Whether a rule has a maximum, for which the facts of build b are needed. */
export const hasMaximum = ({ metrics = {} }: { readonly metrics?: MetricRules | undefined }): boolean =>
  Object.values(metrics).some((rule) => rule?.max !== undefined);

/** The parts of the rules that say which metrics decide. */
interface DecidingRules {
  readonly families?: readonly Family[] | undefined;
  readonly metrics?: MetricRules | undefined;
  readonly onlyMetrics?: readonly string[] | undefined;
}

/** The families that decide, which share the level of the gate. */
export function findDecidingFamilies({
  families,
  metrics = {},
  onlyMetrics,
}: DecidingRules): readonly Family[] {
  if (onlyMetrics !== undefined)
    return [...new Set(METRICS.filter(({ name }) => onlyMetrics.includes(name)).map(({ family }) => family))];
  const set = families ?? DEFAULT_OPTIONS.families;
  return Object.keys(metrics).length === 0 ? set : [...new Set([...set, OF_PERFORMANCE])];
}

/** Whether a row can decide. With rules for metrics of performance, the others of that family do not decide. */
export function canDecide(
  { decides, family, name }: Pick<Metric, "decides" | "family" | "name">,
  rules: DecidingRules,
): boolean {
  const { families, metrics = {}, onlyMetrics } = rules;
  if (!decides || !findDecidingFamilies(rules).includes(family)) return false;
  if (onlyMetrics !== undefined) return onlyMetrics.includes(name);
  return family !== OF_PERFORMANCE || families?.includes(family) === true || metrics[name] !== undefined;
}

/** The largest increase of a mean that its rule allows, in the unit of the row; null for rows with another kind of limit. */
export function findMaxIncrease(
  { family, a }: Pick<ScorecardRow, "family" | "a">,
  rule: MetricRule | undefined,
): number | null {
  if (family !== OF_PERFORMANCE) return null;
  const { maxIncrease = Number.POSITIVE_INFINITY, maxIncreasePct } = rule ?? {};
  const pct = maxIncreasePct ?? (maxIncrease === Number.POSITIVE_INFINITY ? DEFAULT_INCREASE_PCT : null);
  return Math.min(maxIncrease, pct === null ? maxIncrease : ((a.value ?? 0) * pct) / 100);
}
