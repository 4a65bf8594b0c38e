/** The retention of an experiment's variants as intervals: a group a day, a row a variant. */
import type { ComparedVariant, VariantComparison } from "../contract/experiments.ts";
import type { IntervalRow, Intervals } from "./charts.ts";

/** The players of each variant who came back, by day. */
export function retentionChart({ experimentId, variants }: VariantComparison): Intervals {
  const days = [...new Set(variants.flatMap(({ retention }) => retention.map(({ day }) => day)))];
  return {
    kind: "intervals",
    title: `${experimentId}: players who came back`,
    note: "Share of the players whose day has come, with its 95 % interval. Intervals that overlap much tell little apart.",
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
  const found = retention.find((one) => one.day === day && one.eligible > 0);
  if (!found) return { label: key, value: null, interval: null, details: [null] };
  const { rate, interval, retained, eligible } = found;
  return { label: key, value: rate, interval: interval ?? null, details: [`${retained} of ${eligible}`] };
}
