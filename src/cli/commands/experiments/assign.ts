/** experiments assign: the variants that a device is given. */
import * as experiments from "../../../contract/experiments.ts";
import { command, createTable } from "../../command.ts";
import { text } from "../../flags.ts";
import { textColumn } from "../columns.ts";

interface AssignmentRow {
  readonly experiment: string;
  readonly variant: string;
}

const columns = [
  textColumn<AssignmentRow>("experiment", "EXPERIMENT", ({ experiment }) => experiment),
  textColumn<AssignmentRow>("variant", "VARIANT", ({ variant }) => variant),
];

export const assignExperimentsCommand = command({
  path: "experiments assign",
  summary: "Show which variant of each running experiment a device is given",
  details:
    "Asks what a game client asks. Needs an ingest key: PLAYTEST_INGEST_KEY, or `playtest login --ingest`.",
  args: [{ name: "<device>", describe: "device id" }],
  flags: { build: text("--build <version>", "build that audiences by build are asked about") },
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
    return { data, table: createTable(rows, columns, "No running experiment is for this device.") };
  },
});
