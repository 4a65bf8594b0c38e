/** What the commands on one experiment answer: the experiment as it is after. */

import type { Experiment } from "../../../../contract/experiments.ts";
import type { AudiencedExperiment } from "../../../../server/experiments/queries.ts";
import { experimentOf, requireExperiment } from "../../../../server/experiments/queries.ts";
import { type Result, tableOf } from "../../../command.ts";
import type { Context } from "../../../context.ts";
import type { Values } from "../../../flags.ts";
import { experimentColumns } from "../../experiments/columns.ts";
import { type Admin, type adminFlags, administer } from "../work.ts";

/** The argument that names one. */
export const experimentArgument = { name: "<experiment>", describe: "its id, exp_..." } as const;

/** Answers one experiment. */
export function experimentResult(experiment: Experiment): Result {
  return { data: { experiment }, table: tableOf([experiment], experimentColumns, "") };
}

/** Finds an experiment of the local account, changes it, and answers what it is then. */
export async function changeExperiment(
  context: Context,
  flags: Values<typeof adminFlags>,
  id: string,
  change: (admin: Admin, row: AudiencedExperiment) => Promise<AudiencedExperiment>,
): Promise<Result> {
  const row = await administer(context, flags, async (admin) =>
    change(admin, await requireExperiment(admin.db, admin.accountId, id)),
  );
  return experimentResult(experimentOf(row));
}
