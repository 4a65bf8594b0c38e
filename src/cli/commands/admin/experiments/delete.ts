/** admin experiments delete: hides an experiment; its data is kept. */

import { experiments } from "../../../../contract/experiments.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import { cleanLine } from "../../../../render/text.ts";
import { toExperiment } from "../../../../server/experiments/experiment-queries.ts";
import { deleteExperiment } from "../../../../server/experiments/lifecycle.ts";
import { command, createTable } from "../../../command.ts";
import { type AdminContext, administerConfirmed, destructiveAdminFlags } from "../administer.ts";
import { experimentArgument, requireNamedExperiment } from "./result.ts";

export const deleteExperimentCommand = command({
  path: "admin experiments delete",
  summary: "Delete an experiment. Its data is kept but no longer shown",
  args: [experimentArgument],
  flags: destructiveAdminFlags,
  examples: ["admin experiments delete exp_0123", "admin experiments delete exp_0123 --yes"],
  async run(context, { args, flags }) {
    const find = async (admin: AdminContext) => {
      const row = await requireNamedExperiment(admin, args[0] ?? "");
      admin.note.target = row.id;
      return row;
    };
    const row = await administerConfirmed(
      context,
      flags,
      async (admin) => `Delete the experiment ${JSON.stringify((await find(admin)).name)}?`,
      async (admin) => deleteExperiment(admin.db, await find(admin), admin.service.now()),
    );
    const deleted = toExperiment(row);
    return {
      data: { deleted },
      table: createTable([deleted], toColumns(experiments), ""),
      view: () => `Deleted the experiment ${cleanLine(deleted.name)} (${deleted.id}).\n`,
    };
  },
});
