/** experiments compare: how the players of an experiment's variants compare, and what of it is certain. */
import * as experiments from "../../../contract/experiments.ts";
import { retentionChart } from "../../../pictures/retention.ts";
import { command, createTable } from "../../command.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";
import { variantColumns } from "./variant-columns.ts";

export const compareExperimentCommand = command({
  path: "experiments compare",
  summary: "Show how an experiment's variants compare, with intervals and a verdict",
  details:
    "Rates come with 95 % intervals. Differences are told against the first variant, with intervals that hold " +
    "however often they are looked at; none is judged under 30 players a side.",
  args: [{ name: "<experiment>", describe: "its id, exp_..." }],
  flags: chartFlags,
  examples: [
    "experiments compare exp_0123",
    "experiments compare exp_0123 --out retention.svg",
    "experiments compare exp_0123 --json --jq .comparison.leader",
  ],
  async run(context, { args, flags: { out } }) {
    checkChartFile(out);
    const client = await context.client(experiments);
    const data = await client.getExperimentComparison({ id: args[0] ?? "" });
    await writeCharts(context, out, () => [retentionChart(data.comparison)]);
    return {
      data,
      table: createTable(data.comparison.variants, variantColumns, "No variants."),
      view: async (options) => (await import("./compare-view.ts")).compareView(data, options),
    };
  },
});
