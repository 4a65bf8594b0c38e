/** The retention of an experiment's variants as intervals: one group per day, one row per variant. */
import type { ComparedVariant, VariantComparison } from "../contract/experiments.ts";
import type { IntervalRow, Intervals } from "./charts.ts";

/** The share of players of each variant who returned, by day. */
export function retentionChart({ experimentId, name, variants }: VariantComparison): Intervals {
  const days = [...new Set(variants.flatMap(({ retention }) => retention.map(({ day }) => day)))];
  return {
    kind: "intervals",
    title: `${name ?? experimentId}: player retention`,
    note: "Day N: the share of players who returned N days after they joined, with 95% confidence intervals. Only players who joined at least N + 1 days ago are counted, because day N must be over.",
    unit: "share",
    labels: "Variant",
    columns: ["players"],
    groups: days
      .sort((x, y) => x - y)
      .map((day) => ({
        title: `Day ${day}`,
        mood: "neutral",
        rows: variants.map((variant) => toIntervalRow(variant, day)),
      })),
  };
}

function toIntervalRow({ key, retention }: ComparedVariant, day: number): IntervalRow {
  const result = retention.find((entry) => entry.day === day && entry.eligible > 0);
  if (!result) return { label: key, value: null, interval: null, details: [null] };
  const { rate, interval, retained, eligible } = result;
  return { label: key, value: rate, interval: interval ?? null, details: [`${retained} of ${eligible}`] };
}
