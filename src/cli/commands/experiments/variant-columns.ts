/** How the variants of a comparison look: bare numbers in files, rates with their intervals for people. */
import type { ComparedVariant, Interval } from "../../../contract/experiments.ts";
import type { Column } from "../../../render/columns.ts";
import { textColumn } from "../columns.ts";

const DAYS = [1, 2, 7];

/** A share of 0 to 1 in percent. */
function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** A share with its interval, where the service tells one. */
function withInterval(share: number, interval: Interval | null | undefined): string {
  return interval
    ? `${percent(share)} (${percent(interval.low)} to ${percent(interval.high)})`
    : percent(share);
}

/** The retention of a day; undefined where nobody is eligible yet. */
function retentionOn(day: number, { retention }: ComparedVariant) {
  return retention.find((one) => one.day === day && one.eligible > 0);
}

const counts: readonly Column<ComparedVariant>[] = [
  { key: "key", header: "VARIANT", value: ({ key }) => key, style: "strong" },
  { key: "playerCount", header: "PLAYERS", value: ({ playerCount }) => playerCount ?? null },
  { key: "sessionCount", header: "SESSIONS", value: ({ sessionCount }) => sessionCount },
];

/** The rates as bare numbers, 0 to 1, but engagement in percent, as the API gives them. */
export const variantColumns: readonly Column<ComparedVariant>[] = [
  ...counts,
  ...DAYS.map(
    (day): Column<ComparedVariant> => ({
      key: `retention.${day}`,
      header: `DAY ${day}`,
      value: (variant) => retentionOn(day, variant)?.rate ?? null,
    }),
  ),
  { key: "engagementPct", header: "ENGAGED %", value: ({ engagementPct }) => engagementPct },
  { key: "crashRate", header: "CRASHED", value: ({ crashRate }) => crashRate },
];

/** The rates in percent, with their 95 % intervals. */
export const intervalColumns: readonly Column<ComparedVariant>[] = [
  ...counts,
  ...DAYS.map((day) =>
    textColumn<ComparedVariant>(`retention.${day}`, `DAY ${day}`, (variant) => {
      const found = retentionOn(day, variant);
      return found ? withInterval(found.rate, found.interval) : null;
    }),
  ),
  textColumn("engagementPct", "ENGAGED", ({ engagementPct }) => percent(engagementPct / 100)),
  textColumn("crashRate", "CRASHED", ({ crashRate, crashInterval, sessionCount }) =>
    sessionCount > 0 ? withInterval(crashRate, crashInterval) : null,
  ),
];
