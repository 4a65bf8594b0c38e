/** builds trend: a friction tag or a metric over the last builds, as a table and a chart. */
import { trendChart } from "../../../charts/trend.ts";
import * as trends from "../../../contract/trends.ts";
import {
  DEFAULT_TREND_BUILDS,
  DEFAULT_TREND_METRIC,
  MAX_TREND_BUILDS,
  trendMetrics,
} from "../../../contract/trends.ts";
import { describeEmptyTrend, trendColumns } from "../../../render/tables/trend.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { choice, integer, text } from "../../flags.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";

export const trendCommand = command({
  path: "builds trend",
  summary: "Show a friction tag or a metric over the last builds",
  details:
    "Builds are in the order in which they were played, as in `builds list`. A tag is counted among the testers who could " +
    "meet it, exactly as in `builds compare`. Metrics: crash-free is the share of testers without a crash, session-length " +
    "the median active time of a session, engagement the share of play time that is active, and day-1 the share of " +
    "testers who came back on the day after their first session.",
  args: [],
  flags: {
    tag: text("--tag <tag>", "friction tag, such as difficulty-spike:furnace"),
    metric: choice(
      "--metric <metric>",
      `metric instead of a tag (default: ${DEFAULT_TREND_METRIC})`,
      trendMetrics,
    ),
    env: text("--env <slug>", "environment, or `all` (default: production)"),
    last: integer("--last <n>", `number of builds (default: ${DEFAULT_TREND_BUILDS})`, 1, MAX_TREND_BUILDS),
    ...chartFlags,
  },
  examples: [
    "builds trend --game ember --tag difficulty-spike:furnace",
    "builds trend --game ember --metric session-length --last 5 --out length.svg",
  ],
  async run(context, { flags: { tag, metric, env, last, out } }) {
    checkChartFile(out);
    if (tag !== undefined && metric !== undefined) {
      throw fail("usage", {
        message: `--tag ${JSON.stringify(tag)} cannot be used with --metric`,
        hint: "Use only one of them.",
      });
    }
    const client = await context.client(trends);
    const game = await context.requireGame();
    const data = await client.getTrend({ game, tag, metric, env, last });
    await writeCharts(context, out, () => [trendChart(data)]);
    return {
      data,
      table: createTable(
        data.points,
        trendColumns,
        describeEmptyTrend(data, "Select another environment with --env."),
      ),
      items: data.points,
      view: async (options) => {
        if (data.points.length === 0) return "";
        const { renderIntervals } = await import("../../../render/charts/rows.ts");
        return renderIntervals(trendChart(data), options);
      },
    };
  },
});
