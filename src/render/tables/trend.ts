/** Table columns of trends over builds. */
import { formatTrendTitle } from "../../charts/trend.ts";
import type { Trend, TrendPoint } from "../../contract/trends.ts";
import { defineColumns } from "./columns.ts";

/** Values as plain numbers, in the units of the API. */
export const trendColumns = defineColumns<TrendPoint>({
  build: { header: "BUILD" },
  testers: { header: "TESTERS" },
  sessions: { header: "SESSIONS" },
  counted: { header: "COUNTED" },
  withTag: { header: "WITH TAG" },
  value: { header: "VALUE" },
  "interval.low": { header: "LOW" },
  "interval.high": { header: "HIGH" },
});

/** Why a trend has no points. `advice` says how to select another environment. */
export function describeEmptyTrend({ environment, ...trend }: Trend, advice: string): string {
  const where = environment === "all" ? "" : ` in ${environment}`;
  return `No build has sessions${where}, so there is no trend of “${formatTrendTitle({ environment, ...trend })}”. ${advice}`;
}
