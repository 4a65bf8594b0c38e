/** What the commands on one experiment answer: the experiment as it is after. */

import type { Experiment } from "../../../../contract/experiments.ts";
import type { ExperimentWithAudience } from "../../../../server/experiments/queries.ts";
import { requireExperiment, toExperiment } from "../../../../server/experiments/queries.ts";
import { createTable, type Result } from "../../../command.ts";
import type { Context } from "../../../context.ts";
import type { FlagValues } from "../../../flags.ts";
import { experimentColumns } from "../../experiments/columns.ts";
import { type AdminContext, type adminFlags, administer } from "../administer.ts";

/** The argument that names one. */
export const experimentArgument = { name: "<experiment>", describe: "experiment id (exp_...)" } as const;

/** Answers one experiment. */
export function experimentResult(experiment: Experiment): Result {
  return { data: { experiment }, table: createTable([experiment], experimentColumns, "") };
}

/** Finds an experiment of the local account, changes it, and answers what it is then. */
export async function changeExperiment(
  context: Context,
  flags: FlagValues<typeof adminFlags>,
  id: string,
  change: (admin: AdminContext, row: ExperimentWithAudience) => Promise<ExperimentWithAudience>,
): Promise<Result> {
  const row = await administer(context, flags, async (admin) =>
    change(admin, await requireExperiment(admin.db, admin.accountId, id)),
  );
  return experimentResult(toExperiment(row));
}
