/** experiments assign: the variants that a device gets. */
import * as experiments from "../../../contract/experiments.ts";
import { textColumn } from "../../../render/tables/columns.ts";
import { command, createTable } from "../../command.ts";
import { text } from "../../flags.ts";

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
    return { data, table: createTable(rows, columns, "No running experiment includes this device.") };
  },
});
