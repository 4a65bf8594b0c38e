/** Columns of a comparison's variants: plain numbers in files, rates with their intervals in the terminal view. */
import { findRetention } from "../../charts/experiment.ts";
import type { ComparedVariant, Interval } from "../../contract/experiments.ts";
import type { TableColumn } from "../columns.ts";
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

/** Rates in percent, with 95% intervals. Retention is a chart instead. */
export const variantRateColumns: readonly TableColumn<ComparedVariant>[] = [
  ...countColumns,
  textColumn("engagement", "ENGAGEMENT", ({ engagementPct, engagementInterval, sessionCount }) =>
    sessionCount > 0 ? formatWithInterval(engagementPct / 100, scaleToShare(engagementInterval)) : null,
  ),
  textColumn("crashRate", "CRASH RATE", ({ crashRate, crashInterval, sessionCount }) =>
    sessionCount > 0 ? formatWithInterval(crashRate, crashInterval) : null,
  ),
];
