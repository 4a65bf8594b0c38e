/** The table of differences from the first variant, and how to read it. */
import type { VariantComparison, VariantDifference } from "../../contract/experiments.ts";
import type { TableColumn } from "../columns.ts";
import type { Paint } from "../style.ts";
import { cleanLine } from "../text.ts";
import { textColumn } from "./columns.ts";
import { formatMetric, formatSignedPoints, formatSignedRange } from "./experiment-metrics.ts";
import { findRetention } from "./variants.ts";

const SIGNIFICANCE_LEVEL = 0.05;

export interface DifferenceRow extends VariantDifference {
  /** Whether both variants have data for the metric. Without data, the service reports a difference of 0. */
  readonly hasData: boolean;
}

export function createDifferenceRows({ differences, variants }: VariantComparison): DifferenceRow[] {
  return (differences ?? []).map((difference) => ({
    ...difference,
    hasData: hasData(difference, variants),
  }));
}

function hasData(
  { metric, baseline, variant }: VariantDifference,
  variants: VariantComparison["variants"],
): boolean {
  const [, day] = /^retention-(\d+)$/.exec(metric) ?? [];
  return [baseline, variant].every((key) => {
    const compared = variants.find((entry) => entry.key === key);
    if (compared === undefined) return true;
    if (day !== undefined) return findRetention(Number(day), compared) !== undefined;
    return compared.sessionCount > 0;
  });
}

/** Whether the difference is significant, after the correction for the number of metrics if the service sends one. */
function isSignificant({ significant, role, adjustedPValue }: VariantDifference): boolean {
  return role == null ? significant : (adjustedPValue ?? 1) <= SIGNIFICANCE_LEVEL;
}

function formatPValue(pValue: number): string {
  return pValue < 0.001 ? "<0.001" : pValue.toFixed(3);
}

export const differenceColumns: readonly TableColumn<DifferenceRow>[] = [
  {
    ...textColumn<DifferenceRow>(
      "metric",
      "METRIC",
      ({ metric, role }) => (role === "primary" ? `${formatMetric(metric)} (decides)` : formatMetric(metric)),
      1,
    ),
    wrap: true,
  },
  textColumn("delta", "DIFF (PP)", (row) => (row.hasData ? formatSignedPoints(row.delta) : null)),
  textColumn("interval", "95% INTERVAL", ({ interval }) => (interval ? formatSignedRange(interval) : null)),
  textColumn("adjustedPValue", "P-VALUE", ({ adjustedPValue }) =>
    adjustedPValue == null ? null : formatPValue(adjustedPValue),
  ),
  textColumn("significant", "SIGNIFICANT", (row) => (isSignificant(row) ? "yes" : "no")),
];

/** The headings of the rows of each variant, if there are several. */
export function groupByVariant(rows: readonly DifferenceRow[], paint: Paint): Map<number, string> {
  const starts = rows.flatMap(({ variant }, at) => (variant === rows[at - 1]?.variant ? [] : [at]));
  if (starts.length < 2) return new Map();
  return new Map(starts.map((at) => [at, paint(cleanLine(rows[at]?.variant ?? ""), "strong")]));
}

/** The title of the table, with the variant if there is only one other. */
export function titleDifferences(rows: readonly DifferenceRow[]): string {
  const variants = new Set(rows.map(({ variant }) => variant));
  const [only] = variants;
  const what = variants.size === 1 ? `of ${cleanLine(only ?? "")} from` : "from";
  return `Differences ${what} ${cleanLine(rows[0]?.baseline ?? "")} (percentage points)`;
}

/** How to read the table. */
export function describeDifferences({ differences }: VariantComparison): string {
  const intervals =
    "Use this table to decide. Its intervals are wider than those above, because they allow for looking at the results repeatedly while the experiment runs.";
  const corrected = differences?.some(({ role }) => role != null) ?? false;
  return corrected
    ? `${intervals} The p-value of the metric that decides is not corrected. Those of the others are corrected for their number (Holm), so an interval without 0 is not always significant.`
    : intervals;
}
