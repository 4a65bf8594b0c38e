/** How the variants of a comparison look: bare numbers in files, rates with their intervals for people. */
import type { ComparedVariant, Interval } from "../../../contract/experiments.ts";
import type { CellValue, TableColumn } from "../../../render/columns.ts";
import { textColumn } from "../columns.ts";

const RETENTION_DAYS = [1, 2, 7];

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

const counts: readonly TableColumn<ComparedVariant>[] = [
  { key: "key", header: "VARIANT", value: ({ key }) => key, style: "strong" },
  { key: "playerCount", header: "PLAYERS", value: ({ playerCount }) => playerCount ?? null },
  { key: "sessionCount", header: "SESSIONS", value: ({ sessionCount }) => sessionCount },
];

/** The rates as bare numbers, 0 to 1, but engagement in percent, as the API gives them. */
export const variantColumns: readonly TableColumn<ComparedVariant>[] = [
  ...counts,
  ...RETENTION_DAYS.map(
    (day): TableColumn<ComparedVariant> => ({
      key: `retention.${day}`,
      header: `DAY ${day}`,
      value: (variant) => retentionOn(day, variant)?.rate ?? null,
    }),
  ),
  { key: "engagementPct", header: "ENGAGED %", value: ({ engagementPct }) => engagementPct },
  { key: "crashRate", header: "CRASHED", value: ({ crashRate }) => crashRate },
];

/** What is told of a variant for people beside its retention, which is drawn: rates in percent, with 95 % intervals. */
const facts: readonly (readonly [label: string, value: (variant: ComparedVariant) => CellValue])[] = [
  ["Players", ({ playerCount }) => playerCount ?? null],
  ["Sessions", ({ sessionCount }) => sessionCount],
  ["Engaged", ({ engagementPct }) => percent(engagementPct / 100)],
  [
    "Crashed",
    ({ crashRate, crashInterval, sessionCount }) =>
      sessionCount > 0 ? withInterval(crashRate, crashInterval) : null,
  ],
];

interface FactRow {
  readonly label: string;
  /** A value a variant. */
  readonly values: readonly CellValue[];
}

/** The variants side by side: a row a fact, a column a variant. */
export function transposeVariants(variants: readonly ComparedVariant[]): {
  rows: readonly FactRow[];
  columns: readonly TableColumn<FactRow>[];
} {
  const rows = facts.map(([label, value]) => ({ label, values: variants.map(value) }));
  const columns = variants.map(
    ({ key }, at): TableColumn<FactRow> => ({
      key,
      header: key,
      value: ({ values }) => values[at] ?? null,
      align: "left",
    }),
  );
  return { rows, columns: [textColumn("label", "VARIANT", ({ label }) => label), ...columns] };
}
