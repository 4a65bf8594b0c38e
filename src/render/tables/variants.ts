/** Columns of a comparison's variants: plain numbers in files, rates with their intervals in the terminal view. */
import type { ComparedVariant, Interval } from "../../contract/experiments.ts";
import type { CellValue, TableColumn } from "../columns.ts";
import { textColumn } from "./columns.ts";

const RETENTION_DAYS = [1, 2, 7];

/** Formats a share from 0 to 1 as a percentage. */
function formatPercent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** Formats a share, with its interval if the service sends one. */
function formatWithInterval(share: number, interval: Interval | null | undefined): string {
  return interval
    ? `${formatPercent(share)} (${formatPercent(interval.low)} to ${formatPercent(interval.high)})`
    : formatPercent(share);
}

const scaleToShare = (interval: Interval | null | undefined) =>
  interval && { low: interval.low / 100, high: interval.high / 100 };

/** The retention of a day; undefined if no player is eligible yet. */
export function findRetention(day: number, { retention }: ComparedVariant) {
  return retention.find((entry) => entry.day === day && entry.eligible > 0);
}

const countColumns: readonly TableColumn<ComparedVariant>[] = [
  { key: "key", header: "VARIANT", value: ({ key }) => key, style: "strong" },
  { key: "playerCount", header: "PLAYERS", value: ({ playerCount }) => playerCount ?? null },
  { key: "sessionCount", header: "SESSIONS", value: ({ sessionCount }) => sessionCount },
];

/** Rates as plain numbers, in the units of the API: engagement in percent, all other rates from 0 to 1. */
export const variantColumns: readonly TableColumn<ComparedVariant>[] = [
  ...countColumns,
  ...RETENTION_DAYS.map(
    (day): TableColumn<ComparedVariant> => ({
      key: `retention.${day}`,
      header: `DAY ${day} RETENTION`,
      value: (variant) => findRetention(day, variant)?.rate ?? null,
    }),
  ),
  { key: "engagementPct", header: "ENGAGEMENT %", value: ({ engagementPct }) => engagementPct },
  { key: "crashRate", header: "CRASH RATE", value: ({ crashRate }) => crashRate },
];

/** The rows of the terminal view: rates in percent, with 95% intervals. Retention is a chart instead. */
const metrics: readonly (readonly [label: string, value: (variant: ComparedVariant) => CellValue])[] = [
  ["Players", ({ playerCount }) => playerCount ?? null],
  ["Sessions", ({ sessionCount }) => sessionCount],
  [
    "Engagement",
    ({ engagementPct, engagementInterval, sessionCount }) =>
      sessionCount > 0 ? formatWithInterval(engagementPct / 100, scaleToShare(engagementInterval)) : null,
  ],
  [
    "Crash rate",
    ({ crashRate, crashInterval, sessionCount }) =>
      sessionCount > 0 ? formatWithInterval(crashRate, crashInterval) : null,
  ],
];

/** One row per variant, with the rates of the terminal view. */
export const variantRateColumns: readonly TableColumn<ComparedVariant>[] = [
  ...countColumns.slice(0, 1),
  ...metrics.map(([label, value]) => textColumn<ComparedVariant>(label, label.toUpperCase(), value)),
];

interface MetricRow {
  readonly label: string;
  /** One value per variant. */
  readonly values: readonly CellValue[];
}

/** Transposes the variants: one row per metric, one column per variant. */
export function transposeVariants(variants: readonly ComparedVariant[]): {
  rows: readonly MetricRow[];
  columns: readonly TableColumn<MetricRow>[];
} {
  const rows = metrics.map(([label, value]) => ({ label, values: variants.map(value) }));
  const columns = variants.map(
    ({ key }, index): TableColumn<MetricRow> => ({
      key,
      header: key,
      value: ({ values }) => values[index] ?? null,
      align: "left",
    }),
  );
  return { rows, columns: [textColumn("label", "VARIANT", ({ label }) => label), ...columns] };
}
