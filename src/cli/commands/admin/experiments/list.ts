/** admin experiments list: every experiment of a game. */
import { experimentOf, experimentsOf } from "../../../../server/experiments/queries.ts";
import { command, tableOf } from "../../../command.ts";
import { experimentColumns } from "../../experiments/columns.ts";
import { adminFlags, administer } from "../work.ts";

export const listExperimentsCommand = command({
  path: "admin experiments list",
  summary: "List a game's experiments, newest first",
  args: [],
  flags: adminFlags,
  examples: ["admin experiments list --game ember"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, async ({ db, game }) =>
      experimentsOf(db, (await game()).id),
    );
    const experiments = rows.map(experimentOf);
    return { data: { experiments }, table: tableOf(experiments, experimentColumns, "No experiments yet.") };
  },
});
