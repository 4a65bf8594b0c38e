/** admin experiments list: lists the experiments of a game. */

import { experimentColumns } from "../../../../render/tables/experiments.ts";
import { findExperiments, toExperiment } from "../../../../server/experiments/queries.ts";
import { command } from "../../../command.ts";
import { createListTable } from "../../constant-columns.ts";
import { adminFlags, administer } from "../administer.ts";

export const listExperimentsCommand = command({
  path: "admin experiments list",
  summary: "List a game's experiments, newest first",
  args: [],
  flags: adminFlags,
  examples: ["admin experiments list --game ember"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, async ({ db, game }) =>
      findExperiments(db, (await game()).id),
    );
    const experiments = rows.map(toExperiment);
    return {
      data: { experiments },
      table: await createListTable(context, experiments, experimentColumns, "No experiments yet."),
    };
  },
});
