/** Columns of a comparison's variants: plain numbers in files, rates with their intervals in the terminal view. */
import { findRetention } from "../../charts/experiment.ts";
import type { ComparedVariant, Interval } from "../../contract/experiments.ts";
import type { TableColumn } from "../columns.ts";
import { defineColumns } from "./columns.ts";

const RETENTION_DAYS = [1, 2, 7];

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

const countColumns = defineColumns<ComparedVariant>({
  key: { header: "VARIANT", tone: "strong" },
  playerCount: { header: "PLAYERS" },
  sessionCount: { header: "SESSIONS" },
});

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
  ...defineColumns<ComparedVariant>({
    engagementPct: { header: "ENGAGEMENT %" },
    crashRate: { header: "CRASH RATE" },
  }),
];

/** Rates in percent, with 95% intervals. Retention is a chart instead. */
export const variantRateColumns: readonly TableColumn<ComparedVariant>[] = [
  ...countColumns,
  ...defineColumns<ComparedVariant>({
    engagement: {
      header: "ENGAGEMENT",
      value: ({ engagementPct, engagementInterval, sessionCount }) =>
        sessionCount > 0 ? formatWithInterval(engagementPct / 100, scaleToShare(engagementInterval)) : null,
    },
    crashRate: {
      header: "CRASH RATE",
      value: ({ crashRate, crashInterval, sessionCount }) =>
        sessionCount > 0 ? formatWithInterval(crashRate, crashInterval) : null,
    },
  }),
];
