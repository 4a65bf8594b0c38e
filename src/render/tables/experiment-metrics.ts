/** Metrics of experiments in words, and differences in percentage points. */
import { ownValue } from "../../shared/own-value.ts";

const metricTitles: Readonly<Record<string, string>> = {
  "crash-rate": "Crash rate",
  engagement: "Engagement",
};

/** The name of a metric in a table. Metrics of a newer service are shown as they are. */
export const formatMetric = (metric: string) =>
  ownValue(metricTitles, metric) ?? metric.replace(/^retention-(\d+)$/, "Returned on day $1");

/** A share in percentage points, without the unit. */
export const formatPoints = (share: number) => (share * 100).toFixed(1);

export const formatSignedPoints = (share: number) => `${share > 0 ? "+" : ""}${formatPoints(share)}`;

export const formatSignedRange = ({ low, high }: { readonly low: number; readonly high: number }) =>
  `${formatSignedPoints(low)} to ${formatSignedPoints(high)}`;
