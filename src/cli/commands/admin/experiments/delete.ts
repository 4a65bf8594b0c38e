/** admin experiments delete: hides an experiment; its data is kept. */

import { cleanLine } from "../../../../render/text.ts";
import { deleteExperiment } from "../../../../server/experiments/lifecycle.ts";
import { toExperiment } from "../../../../server/experiments/queries.ts";
import { command, createTable } from "../../../command.ts";
import { experimentColumns } from "../../experiments/columns.ts";
import { adminFlags, administer } from "../administer.ts";
import { experimentArgument, requireNamedExperiment } from "./result.ts";

export const deleteExperimentCommand = command({
  path: "admin experiments delete",
  summary: "Delete an experiment. Its data is kept but no longer shown",
  args: [experimentArgument],
  flags: adminFlags,
  examples: ["admin experiments delete exp_0123"],
  async run(context, { args, flags }) {
    const row = await administer(context, flags, async ({ db, service, accountId }) =>
      deleteExperiment(db, await requireNamedExperiment(db, accountId, args[0] ?? ""), service.now()),
    );
    const deleted = toExperiment(row);
    return {
      data: { deleted },
      table: createTable([deleted], experimentColumns, ""),
      view: () => `Deleted the experiment ${cleanLine(deleted.name)} (${deleted.id}).\n`,
    };
  },
});
