/** Tables of an experiment's comparison: the figures that decide, and the differences of all its metrics. */
import type { Figure } from "../../charts/experiment.ts";
import { findRetention } from "../../charts/experiment.ts";
import type { ComparedVariant, VariantComparison, VariantDifference } from "../../contract/experiments.ts";
import { ownValue } from "../../shared/own-value.ts";
import { formatPValue } from "../../shared/p-value.ts";
import type { TableColumn } from "../columns.ts";
import { defineColumns } from "./columns.ts";

/** One row for each figure, and one column for each variant. */
export const figureColumns = (variants: readonly ComparedVariant[]): TableColumn<Figure>[] => [
  { key: "label", header: "Figure", value: ({ label }) => label },
  ...variants.map(
    ({ key }, at): TableColumn<Figure> => ({
      ...{ key, header: key, align: "right" },
      value: ({ values }) => values[at] ?? null,
    }),
  ),
  { key: "change", header: "Change", value: ({ change }) => change, align: "right" },
  { key: "note", header: "Result", value: ({ note }) => note },
];

const metricTitles: Readonly<Record<string, string>> = {
  "crash-rate": "Crash rate",
  engagement: "Engagement",
};

/** The name of a metric. Metrics of a newer service are shown as they are. */
const formatMetric = (metric: string) =>
  ownValue(metricTitles, metric) ?? metric.replace(/^retention-(\d+)$/, "Returned on day $1");

function formatPoints(share: number): string {
  const points = Number((share * 100).toFixed(1)) || 0;
  return `${points > 0 ? "+" : ""}${points.toFixed(1)}`;
}

/** A difference, and whether both variants have data for the metric. Without data, the service reports a difference of 0. */
export interface DifferenceRow extends VariantDifference {
  readonly hasData: boolean;
}

export function createDifferenceRows({ differences, variants }: VariantComparison): DifferenceRow[] {
  const hasData = ({ metric, baseline, variant }: VariantDifference) => {
    const [, day] = /^retention-(\d+)$/.exec(metric) ?? [];
    const compared = variants.filter(({ key }) => key === baseline || key === variant);
    return compared.every((one) =>
      day === undefined ? one.sessionCount > 0 : findRetention(Number(day), one) !== undefined,
    );
  };
  return (differences ?? []).map((difference) => ({ ...difference, hasData: hasData(difference) }));
}

export const differenceColumns = defineColumns<DifferenceRow>({
  variant: { header: "VARIANT" },
  metric: {
    header: "METRIC",
    value: ({ metric, role }) =>
      role === "primary" ? `${formatMetric(metric)} (decides)` : formatMetric(metric),
  },
  delta: { header: "CHANGE (PP)", value: ({ hasData, delta }) => (hasData ? formatPoints(delta) : null) },
  interval: {
    header: "95% RANGE",
    value: ({ interval }) =>
      interval ? `${formatPoints(interval.low)} to ${formatPoints(interval.high)}` : null,
  },
  adjustedPValue: {
    header: "P-VALUE",
    value: ({ adjustedPValue }) => (adjustedPValue == null ? null : formatPValue(adjustedPValue)),
  },
});

/** How the figures were judged. */
export const METHODS =
  "All ranges and p-values hold however often you look. Those of metrics are always-valid (Waudby-Smith et al.); p-values of metrics " +
  "that do not decide are corrected for their number (Holm). Rows of the scorecard are corrected within friction, quits and ratings " +
  "(single-step min-p, Westfall and Young), at the level of an always-valid test.";
