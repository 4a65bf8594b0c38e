/** The commands about experiments. */
import { retentionChart } from "../../../charts/retention.ts";
import * as experiments from "../../../contract/experiments.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { variantColumns } from "../../../render/tables/variants.ts";
import { command, createTable } from "../../command.ts";
import { number, text, toggle } from "../../flags.ts";
import { withWholeId } from "../../short-ids.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";
import { createListCommand } from "../resource-commands.ts";
import { resolveExperiment } from "./find-experiment.ts";

const compareExperimentCommand = command({
  path: "experiments compare",
  summary: "Compare an experiment's variants: ship, stop or keep running",
  details:
    "The first line says whether to ship a variant, to stop, or to keep running, and why. Day 1 retention decides which " +
    "variant leads. A variant is shipped only if it leads with enough players, a rise of its crash rate is ruled out, and no " +
    "friction or quits got worse. All results stay valid however often you look. With --all, all rows are shown with what " +
    "players praised and wrote, and with --stats ranges, p-values and methods.",
  args: [
    { name: "<experiment>", describe: "id (exp_...), name or variant of the experiment, or a part of these" },
  ],
  flags: {
    all: toggle("--all", "show all rows, and what players praised and wrote"),
    stats: toggle("--stats", "show ranges, p-values and methods"),
    crashMargin: number(
      "--crash-margin <points>",
      "largest increase of the crash rate that does not matter, in percentage points (default: that of the experiment)",
      0,
      100,
    ),
    ...chartFlags,
  },
  examples: [
    "experiments compare lanterns --game ember",
    "experiments compare exp_0123 --out retention.svg",
    "experiments compare exp_0123 --json --jq .comparison.verdict.decision",
  ],
  async run(context, { args, flags: { out, all, stats, crashMargin } }) {
    checkChartFile(out);
    const client = await context.client(experiments);
    const given = await resolveExperiment(client, args[0] ?? "", () => context.requireGame());
    const margin = crashMargin === undefined ? {} : { crashMargin: String(crashMargin / 100) };
    const data = await withWholeId(context, "exp", given, (id) =>
      client.getExperimentComparison({ id, ...margin }),
    );
    await writeCharts(context, out, () => [retentionChart(data.comparison)]);
    return {
      data,
      table: createTable(data.comparison.variants, variantColumns, "No variants."),
      view: async (options) => (await import("./compare-view.ts")).compareView(data, { all, stats }, options),
    };
  },
});

const assignmentColumns = defineColumns<{ readonly experiment: string; readonly variant: string }>({
  experiment: { header: "EXPERIMENT" },
  variant: { header: "VARIANT" },
});

const assignExperimentsCommand = command({
  path: "experiments assign",
  summary: "Show which variant of each running experiment a device gets",
  details:
    "Sends the same request as a game client. Requires an ingest key: set PLAYTEST_INGEST_KEY or run " +
    "`playtest login --ingest`.",
  args: [{ name: "<device>", describe: "device id" }],
  flags: {
    build: text(
      "--build <version>",
      "build version of the device, for experiments limited to certain builds",
    ),
  },
  examples: ["experiments assign dev_0123 --game ember", "experiments assign dev_0123 --build 0.9.0"],
  async run(context, { args, flags }) {
    const client = await context.client(experiments, { key: "ingest" });
    const gameId = await context.requireGame();
    const data = await client.assignExperiments({
      gameId,
      deviceId: args[0] ?? "",
      buildVersion: flags.build,
    });
    const rows = Object.entries(data.experiments).map(([experiment, variant]) => ({ experiment, variant }));
    return {
      data,
      table: createTable(rows, assignmentColumns, "No running experiment includes this device."),
    };
  },
});

export const commands = [
  createListCommand(experiments.experiments),
  compareExperimentCommand,
  assignExperimentsCommand,
];
