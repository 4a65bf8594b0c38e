/** experiments compare: an experiment's variants, with intervals and a verdict. */

import { retentionChart } from "../../../charts/variant-retention.ts";
import * as experiments from "../../../contract/experiments.ts";
import { variantColumns } from "../../../render/tables/variants.ts";
import { command, createTable } from "../../command.ts";
import { withWholeId } from "../../short-ids.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";
import { resolveExperiment } from "./find-experiment.ts";

export const compareExperimentCommand = command({
  path: "experiments compare",
  summary: "Compare an experiment's variants, with intervals and a verdict",
  details:
    "Day 1 retention decides which variant leads. A leader must also be shown not to crash more often. Rates have " +
    "95% confidence intervals. Differences are measured against the first variant, and their intervals allow for " +
    "repeated looks at the results. At least 30 players per variant are required for a verdict. Engagement is the share " +
    "of play time that is active.",
  args: [
    { name: "<experiment>", describe: "name or id (exp_...) of the experiment, or the beginning of its id" },
  ],
  flags: chartFlags,
  examples: [
    'experiments compare "Lanterns on the ash bridge" --game ember',
    "experiments compare exp_0123 --out retention.svg",
    "experiments compare exp_0123 --json --jq .comparison.leader",
  ],
  async run(context, { args, flags: { out } }) {
    checkChartFile(out);
    const client = await context.client(experiments);
    const { id: given, name } = await resolveExperiment(client, args[0] ?? "", () => context.requireGame());
    const data = await withWholeId(context, "exp", given, (id) => client.getExperimentComparison({ id }));
    await writeCharts(context, out, () => [retentionChart(data.comparison, name)]);
    return {
      data,
      table: createTable(data.comparison.variants, variantColumns, "No variants."),
      view: async (options) => (await import("./compare-view.ts")).compareView({ ...data, name }, options),
    };
  },
});
