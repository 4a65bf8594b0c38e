/** experiments list: the experiments of a game. */
import * as experiments from "../../../contract/experiments.ts";
import { experimentColumns } from "../../../render/tables/experiments.ts";
import { command } from "../../command.ts";
import { createListTable } from "../constant-columns.ts";

export const listExperimentsCommand = command({
  path: "experiments list",
  summary: "List a game's experiments, newest first",
  args: [],
  flags: {},
  examples: ["experiments list --game ember", "experiments list --json --jq '.experiments[].id'"],
  async run(context) {
    const client = await context.client(experiments);
    const data = await client.listGameExperiments({ id: await context.requireGame() });
    return {
      data,
      table: await createListTable(context, data.experiments, experimentColumns, "No experiments yet."),
    };
  },
});
