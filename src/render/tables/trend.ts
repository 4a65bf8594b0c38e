/** Table columns of trends over builds. */
import { formatTrendTitle } from "../../charts/trend.ts";
import type { Trend, TrendPoint } from "../../contract/trends.ts";
import type { TableColumn } from "../columns.ts";
import { textColumn } from "./columns.ts";

/** Values as plain numbers, in the units of the API. */
export const trendColumns: readonly TableColumn<TrendPoint>[] = [
  textColumn("build", "BUILD", ({ build }) => build),
  textColumn("testers", "TESTERS", ({ testers }) => testers),
  textColumn("sessions", "SESSIONS", ({ sessions }) => sessions),
  textColumn("counted", "COUNTED", ({ counted }) => counted),
  textColumn("withTag", "WITH TAG", ({ withTag }) => withTag ?? null),
  textColumn("value", "VALUE", ({ value }) => value ?? null),
  textColumn("interval.low", "LOW", ({ interval }) => interval?.low ?? null),
  textColumn("interval.high", "HIGH", ({ interval }) => interval?.high ?? null),
];

/** Why a trend has no points. `advice` says how to select another environment. */
export function describeEmptyTrend({ environment, ...trend }: Trend, advice: string): string {
  const where = environment === "all" ? "" : ` in ${environment}`;
  return `No build has sessions${where}, so there is no trend of “${formatTrendTitle({ environment, ...trend })}”. ${advice}`;
}
